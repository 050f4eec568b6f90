"""Where processes are: `tf.train.ClusterSpec`, the resolvers, and the strategy of one worker."""

import json
import os

from programs.program import caught


def _with_environment(values, statement):
    before = {name: os.environ.get(name) for name in values}
    os.environ.update({name: text for name, text in values.items() if text is not None})
    for name, text in values.items():
        if text is None:
            os.environ.pop(name, None)
    try:
        return statement()
    finally:
        for name, text in before.items():
            os.environ.pop(name, None)
            if text is not None:
                os.environ[name] = text


def _with_config(config, statement):
    return _with_environment({"TF_CONFIG": config and json.dumps(config)}, statement)


def cluster_specs(tf, np):
    kind = tf.train.ClusterSpec
    spec = kind({"worker": ["a:1", "b:2"], "ps": {1: "c:3", 4: "d:4"}})
    return (
        spec.as_dict(),
        spec.jobs,
        spec.num_tasks("worker"),
        spec.task_indices("ps"),
        spec.task_address("ps", 4),
        spec.job_tasks("ps"),
        [bool(spec), bool(kind({})), spec == kind(spec), spec != kind({}), spec == 3],
        repr(spec),
        [caught(getattr(spec, name), "x") for name in ("num_tasks", "task_indices", "job_tasks")],
        caught(spec.task_address, "x", 0),
        caught(spec.task_address, "ps", 9),
        [caught(kind, wrong) for wrong in (3, {"worker": 3}, {"worker": [1]}, {1: ["a"]})],
        caught(kind, {"worker": {"x": "a"}}),
    )


def _about(resolver):
    return (
        resolver.cluster_spec().as_dict(),
        resolver.task_type,
        resolver.task_id,
        resolver.environment,
        resolver.rpc_layer,
        caught(resolver.master),
    )


def resolvers_that_are_told(tf, np):
    kinds = tf.distribute.cluster_resolver
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
    told = kinds.SimpleClusterResolver(
        spec, task_type="worker", task_id=1, environment="e", num_accelerators={"GPU": 2},
        rpc_layer="grpc",
    )  # fmt: skip
    bare = kinds.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["c:1"]}), master="m")
    both = kinds.UnionResolver(told, bare)
    numbered = [
        kinds.SimpleClusterResolver(tf.train.ClusterSpec(jobs))
        for jobs in ({"worker": {0: "a:1"}}, {"worker": {1: "c:1"}, "ps": ["q"]})
    ]
    clash = kinds.SimpleClusterResolver(tf.train.ClusterSpec({"worker": {1: "z:1"}}))
    return (
        [_about(resolver) for resolver in (told, bare, both)],
        [resolver.num_accelerators() for resolver in (told, bare, both)],
        [told.master("worker", 0), told.master("worker", 0, "x"), bare.master()],
        kinds.UnionResolver(*numbered).cluster_spec().as_dict(),
        caught(kinds.UnionResolver(numbered[1], clash).cluster_spec),
        caught(kinds.SimpleClusterResolver, {"worker": ["a:1"]}),
        caught(kinds.UnionResolver),
        caught(kinds.UnionResolver, 3),
        [
            issubclass(kind, kinds.ClusterResolver)
            for kind in (kinds.TFConfigClusterResolver, kinds.SlurmClusterResolver)
        ],
    )


def resolvers_that_read_tf_config(tf, np):
    kind = tf.distribute.cluster_resolver.TFConfigClusterResolver
    cluster = {"worker": ["a:1", "b:2"], "chief": ["c:3"]}
    task = {"type": "worker", "index": 1}

    def changed():
        resolver = kind()
        resolver.task_type, resolver.task_id, resolver.rpc_layer = "chief", 0, "x"
        return _about(resolver)

    full = {"cluster": cluster, "task": task, "rpc_layer": "grpc", "environment": "cloud"}
    return (
        _with_config(None, lambda: _about(kind())),
        _with_config(full, lambda: _about(kind())),
        _with_config(full, lambda: kind().master("chief", 0)),
        _with_config(full, lambda: _about(kind("chief", 0, "x", "env"))),
        _with_config(full, changed),
        _with_config({"cluster": {"worker": ["a:1"]}}, lambda: _about(kind())),
        _with_config({"cluster": {"worker": ["a:1", "b:1"]}}, lambda: _about(kind())),
    )


def resolvers_that_read_slurm(tf, np):
    kind = tf.distribute.cluster_resolver.SlurmClusterResolver
    step = {
        "SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "4", "SLURM_STEP_NODELIST": "n[1-2],m07",
        "SLURM_STEP_TASKS_PER_NODE": "2,1(x2)", "SLURM_LOCALID": "0", "SLURM_NTASKS": "4",
        "CUDA_VISIBLE_DEVICES": "0,1",
    }  # fmt: skip
    jobs = {"ps": 1, "worker": 3}

    def about():
        resolver = kind(
            jobs=jobs, port_base=9000, gpus_per_node=2, gpus_per_task=1, auto_set_gpu=False
        )
        resolver.cluster_spec()
        return resolver.get_task_info(), _about(resolver), resolver.num_accelerators()

    others = {**step, "SLURM_STEP_NODELIST": "gpu[08-11]", "SLURM_STEP_TASKS_PER_NODE": "1(x4)"}
    return (
        _with_environment(step, lambda: kind(auto_set_gpu=False).cluster_spec().as_dict()),
        _with_environment(others, lambda: kind(auto_set_gpu=False).cluster_spec().as_dict()),
        _with_environment(step, about),
        _with_environment(step, lambda: caught(lambda: kind(jobs={"worker": 3}).cluster_spec())),
        caught(kind),
    )


def resolvers_that_ask_others(tf, np):
    kinds = tf.distribute.cluster_resolver
    return (
        caught(kinds.KubernetesClusterResolver),
        caught(kinds.GCEClusterResolver, "project", "zone", "group", 1),
    )


def clusters_that_are_refused(tf, np):
    kind = tf.distribute.MultiWorkerMirroredStrategy
    cluster = {"worker": ["a:1", "b:1"]}

    def refused(task, **jobs):
        return _with_config({"cluster": {**cluster, **jobs}, **task}, lambda: caught(kind))

    return (
        refused({}),
        refused({"task": {"type": "other", "index": 1}}),
        refused({"task": {"type": "worker", "index": 7}}),
        refused({"task": {"type": "ps", "index": 0}}, ps=["c:1"]),
    )


def options_of_communication(tf, np):
    experimental = tf.distribute.experimental
    options = experimental.CommunicationOptions
    made = options(3, 4.0, experimental.CommunicationImplementation.RING)
    hints = experimental.CollectiveHints(5, 6.0)
    return (
        [repr(kind) for kind in experimental.CommunicationImplementation],
        [repr(kind) for kind in experimental.CollectiveCommunication],
        (made.bytes_per_pack, made.timeout_seconds, repr(made.implementation)),
        (options().bytes_per_pack, options().timeout_seconds, repr(options().implementation)),
        (hints.bytes_per_pack, hints.timeout_seconds),
        repr(options(implementation="nccl").implementation),
        caught(options, bytes_per_pack=-1),
        caught(options, implementation="x"),
    )


def one_worker(tf, np):
    def about(kind):
        strategy = kind()
        with strategy.scope():
            w = tf.Variable(2.0)
        resolver = strategy.cluster_resolver
        found = strategy.run(
            lambda x: x * w + tf.distribute.get_replica_context().all_reduce("sum", w),
            args=(tf.constant(3.0),),
        )
        data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(5).batch(2))
        context = []
        strategy.distribute_datasets_from_function(
            lambda c: context.append(str(c)) or tf.data.Dataset.range(2)
        )
        return (
            strategy.num_replicas_in_sync,
            (resolver.task_type, resolver.task_id, resolver.cluster_spec().as_dict()),
            strategy.extended.should_checkpoint,
            strategy.extended.should_save_summary,
            found,
            strategy.reduce("SUM", found, axis=None),
            strategy.gather(tf.constant([1, 2]), axis=0),
            [x.numpy().tolist() for x in data],
            context,
            strategy.experimental_local_results(found),
        )

    kinds = tf.distribute.MultiWorkerMirroredStrategy, tf.distribute.experimental
    return _with_config(
        None, lambda: [about(kinds[0]), about(kinds[1].MultiWorkerMirroredStrategy)]
    )


def messages_of_a_cluster(tf, np):
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "c:1"}})
    message = spec.as_cluster_def()
    again = tf.train.ClusterSpec(message)
    made = tf.train.ClusterDef(job=[tf.train.JobDef(name="x", tasks={1: "q"})])
    return (
        str(message),
        message == tf.train.ClusterDef.FromString(message.SerializeToString()),
        again == spec,
        again.as_dict(),
        tf.train.ClusterSpec(made).as_dict(),
    )


def message_of_a_server(tf, np):
    cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:2"]}).as_cluster_def()
    server = tf.train.ServerDef(
        cluster=cluster, job_name="worker", task_index=1, protocol="grpc", port=2, replica=3
    )
    again = tf.train.ServerDef.FromString(server.SerializeToString())
    options = tf.distribute.RunOptions(experimental_xla_options=tf.tpu.XLAOptions(False))
    return str(server), server == again, again.cluster == cluster, again.port, str(options)


def partitioners(tf, np):
    kinds, older = tf.distribute.experimental.partitioners, tf.compat.v1
    shapes = [tf.TensorShape(shape) for shape in ([10, 3], [6, 1], [1], [4, 4, 4])]
    made = [
        kinds.FixedShardsPartitioner(4),
        kinds.MinSizePartitioner(),
        kinds.MinSizePartitioner(4, 2),
        kinds.MinSizePartitioner(min_shard_bytes=30, max_shards=10, bytes_per_string=7),
        kinds.MaxSizePartitioner(4),
        kinds.MaxSizePartitioner(30, 2),
        kinds.MaxSizePartitioner(1024),
    ]
    found = [
        [one(shape, dtype) for shape in shapes for dtype in (tf.float32, tf.int64, tf.string)]
        for one in made
    ]
    return (
        found,
        [one(shapes[0], tf.float32, 1) for one in made],
        [isinstance(one, kinds.Partitioner) for one in made],
        older.fixed_size_partitioner(3, axis=1)(shapes[0]),
        older.min_max_variable_partitioner(9, min_slice_size=8)(shapes[0], tf.float64),
        older.variable_axis_size_partitioner(16)(shapes[3], tf.float32),
        caught(older.min_max_variable_partitioner(axis=2), shapes[0], tf.float32),
        caught(older.variable_axis_size_partitioner, 0),
        caught(older.variable_axis_size_partitioner, 4, max_shards=-1),
        caught(older.variable_axis_size_partitioner(4), [3], tf.float32),
        caught(older.variable_axis_size_partitioner(4), tf.TensorShape([None]), tf.float32),
        caught(kinds.MinSizePartitioner, 0),
    )
