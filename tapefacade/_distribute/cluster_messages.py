"""The messages that describe a cluster: `tf.train.ClusterDef`, `JobDef` and `ServerDef`."""

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
    MessageType(
        "ServerDef",
        """Which task of a cluster a process is. It is a message only: there are no servers.

        Args:
            cluster: a `tf.train.ClusterDef`.
            job_name: the job of the task.
            replica: the number of the replica.
            task_index: the number of the task in its job.
            protocol: how tasks talk, such as "grpc".
            port: where the task listens; 0 for that of its address.

        >>> cluster = tf.train.ClusterSpec({"worker": ["one:2222"]}).as_cluster_def()
        >>> server = tf.train.ServerDef(cluster=cluster, job_name="worker", protocol="grpc")
        >>> server.cluster.job[0].tasks[server.task_index]
        'one:2222'
        """,
        (
            MessageField("cluster", 1, "message", "ClusterDef"),
            MessageField("job_name", 2, "string"),
            MessageField("replica", 8, "int32"),
            MessageField("task_index", 3, "int32"),
            MessageField("protocol", 5, "string"),
            MessageField("port", 6, "int32"),
        ),
    ),
    module="tapefacade.train",
    use="Messages about clusters",
)
__test__ = CLUSTERS.docs()
