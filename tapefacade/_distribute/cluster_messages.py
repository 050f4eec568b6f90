"""The messages that describe a cluster: `tf.train.ClusterDef`, `tf.train.JobDef`."""

from tapefacade._io.messages import MessageField, MessageFile, MessageType

CLUSTERS = MessageFile(
    "tensorflow/core/protobuf/cluster.proto",
    MessageType(
        "JobDef",
        """The tasks of a job of a cluster.

        Args:
            name: the name of the job, such as "worker".
            tasks: the address of each task, by its number.

        >>> job = tf.train.JobDef(name="worker", tasks={0: "one:2222", 1: "two:2222"})
        >>> job.tasks[1]
        'two:2222'
        """,
        (
            MessageField("name", 1, "string"),
            MessageField("tasks", 2, "map", "string", key="int32"),
        ),
    ),
    MessageType(
        "ClusterDef",
        """The jobs of a cluster.

        Args:
            job: a list of `tf.train.JobDef`.

        >>> cluster = tf.train.ClusterSpec({"worker": ["one:2222", "two:2222"]}).as_cluster_def()
        >>> cluster.job[0].name, dict(cluster.job[0].tasks)
        ('worker', {0: 'one:2222', 1: 'two:2222'})
        >>> tf.train.ClusterSpec(cluster).as_dict()
        {'worker': ['one:2222', 'two:2222']}
        """,
        (MessageField("job", 1, "message", "JobDef", repeated=True),),
    ),
    module="tapefacade.train",
    use="Messages about clusters",
)
__test__ = CLUSTERS.docs()
