"""The message `SummaryMetadata`, which tells TensorBoard how to show a summary."""

from tapefacade._io.messages import MessageField, MessageFile, MessageType

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
            MessageField("plugin_data", 1, "message", "SummaryMetadata.PluginData"),
            MessageField("display_name", 2, "string"),
            MessageField("summary_description", 3, "string"),
            MessageField("data_class", 4, "int32"),
        ),
    ),
    MessageType(
        "SummaryMetadata.PluginData",
        "The name of a plugin, and what it is told.",
        (MessageField("plugin_name", 1, "string"), MessageField("content", 2, "bytes")),
    ),
    extra="records",
    use="Summaries' metadata",
)
