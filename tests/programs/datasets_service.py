"""`tf.data.experimental.service`: who makes elements, who gets them, and what is refused.

The order in which workers make elements is not the same twice: elements are sorted.
"""

import socket

from programs.program import answers

SERVERS = []  # TensorFlow's do not end well while somebody may read


def _served(tf, workers=2, **config):
    service = tf.data.experimental.service
    dispatcher = service.DispatchServer(service.DispatcherConfig(**config))
    address = dispatcher.target.removeprefix("grpc://")
    made = [service.WorkerServer(service.WorkerConfig(address)) for _ in range(workers)]
    SERVERS.extend([dispatcher, *made])
    return service, dispatcher.target


def _sorted(dataset):
    return sorted(int(x) for x in dataset)


def elements_of_workers(tf, np):
    service, target = _served(tf)
    dataset = tf.data.Dataset.range(6).map(lambda x: x * x)
    found = {}
    policy = service.ShardingPolicy
    for mode in ("parallel_epochs", "distributed_epoch", policy.OFF, policy.DYNAMIC):
        served = dataset.apply(service.distribute(mode, target))
        found[str(mode)] = _sorted(served), served.element_spec, int(served.cardinality())
        found[f"{mode} again"] = _sorted(served.filter(lambda x: x > 3)), _sorted(served.repeat(2))
    pairs = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    step = service.distribute("distributed_epoch", ("grpc", target.split("://")[1]))
    found["pairs"] = sorted((int(e["a"]), e["b"].numpy()) for e in pairs.apply(step))
    total = tf.function(lambda served: served.reduce(np.int64(0), lambda x, y: x + y))
    found["function"] = total(dataset.apply(step))
    return found


def datasets_that_are_registered(tf, np):
    service, target = _served(tf, 1)
    numbers = tf.data.Dataset.range(4)
    name = service.register_dataset(target, numbers)
    own = service.register_dataset(target, tf.data.Dataset.range(3), dataset_id="own")
    read = service.from_dataset_id
    found = [
        _sorted(read("parallel_epochs", target, name, numbers.element_spec)),
        _sorted(read("distributed_epoch", target, "own")),
        name.dtype == tf.string,
        own.numpy(),
        read("parallel_epochs", target, own).element_spec,
    ]
    return found


def parts_of_workers(tf, np):
    """Policies that give each worker a part need the workers' addresses."""
    service = tf.data.experimental.service
    policy = service.ShardingPolicy

    with (
        socket.create_server(("localhost", 0)) as one,
        socket.create_server(("localhost", 0)) as two,
    ):
        ports = [place.getsockname()[1] for place in (one, two)]
    addresses = [f"localhost:{port}" for port in ports]
    dispatcher = service.DispatchServer(service.DispatcherConfig(worker_addresses=addresses))
    target = dispatcher.target
    workers = [
        service.WorkerServer(service.WorkerConfig(target.removeprefix("grpc://"), port=port))
        for port in ports
    ]
    SERVERS.extend([dispatcher, *workers])
    numbers = tf.data.Dataset.range(5)
    hinted = numbers.shard(tf.data.experimental.SHARD_HINT, tf.data.experimental.SHARD_HINT)
    found = [
        _sorted(numbers.apply(service.distribute(policy.DATA, target))),
        _sorted(numbers.apply(service.distribute(policy.FILE_OR_DATA, target))),
        _sorted(numbers.apply(service.distribute(policy.HINT, target))),
        _sorted(hinted.map(lambda x: 2 * x).apply(service.distribute(policy.HINT, target))),
    ]
    return found


def what_a_service_refuses(tf, np):
    service, target = _served(tf, 1)
    numbers = tf.data.Dataset.range(3)

    def step(mode="parallel_epochs", target=target, **options):
        return numbers.apply(service.distribute(mode, target, **options)).element_spec

    found = answers(
        lambda: step("x"),
        lambda: step(target=5),
        lambda: step(target=""),
        lambda: step(job_name=3),
        lambda: step(job_name=""),
        lambda: step(num_consumers=2),
        lambda: step(compression="x"),
        lambda: step(target_workers="x"),
        lambda: service.from_dataset_id("parallel_epochs", target, "none", numbers.element_spec),
        lambda: service.CrossTrainerCache(""),
        lambda: service.WorkerServer(service.WorkerConfig(None)),
        lambda: service.DispatchServer(service.DispatcherConfig(fault_tolerant_mode=True)),
        lambda: service.WorkerConfig(),
        lambda: list(service.ShardingPolicy),
        lambda: service.DispatcherConfig(port=3)[0],
    )
    return found
