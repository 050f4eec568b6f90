"""The message `SummaryMetadata`, which tells TensorBoard how to show a summary."""

from tapefacade._io.messages import Field, MessageFile, MessageType

SUMMARIES = MessageFile(
    "tensorflow/core/framework/summary_metadata.proto",
    MessageType(
        "SummaryMetadata",
        """What TensorBoard shows a summary with: the plugin, and a description.

        >>> kind = tf.compat.v1.SummaryMetadata
        >>> kind(plugin_data=kind.PluginData(plugin_name="scalars")).plugin_data.plugin_name
        'scalars'
        """,
        (
            Field("plugin_data", 1, "message", "SummaryMetadata.PluginData"),
            Field("display_name", 2, "string"),
            Field("summary_description", 3, "string"),
            Field("data_class", 4, "int32"),
        ),
    ),
    MessageType(
        "SummaryMetadata.PluginData",
        "The name of a plugin, and what it is told.",
        (Field("plugin_name", 1, "string"), Field("content", 2, "bytes")),
    ),
    extra="records",
    use="Summaries' metadata",
)
