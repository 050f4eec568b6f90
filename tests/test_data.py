"""tf.data: threads, memory, copies, errors; values are compared in tests/programs/datasets*.py."""

import gc
import threading
import time
import traceback
import weakref

import numpy as np
import pytest

import tapefacade as tf
from tapefacade._data import row_streams
from tapefacade._trace.execution import STATISTICS
from tapefacade._trace.recording import THREAD

Dataset = tf.data.Dataset


def own_threads():
    return [t for t in threading.enumerate() if t.name.startswith("tapefacade-")]


def all_have_ended(seconds=5.0):
    end = time.monotonic() + seconds
    while own_threads() and time.monotonic() < end:
        time.sleep(0.01)
    return not own_threads()


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    if not all_have_ended(seconds=0.1):
        gc.collect()  # what an exception holds; it takes seconds where many tests have run
    assert all_have_ended()


def counting(made, count=10**6):
    def numbers():
        for number in range(count):
            made.append(number)
            yield number

    return Dataset.from_generator(numbers, tf.int64, [])


# -- prefetching ----------------------------------------------------------------------------------


def test_prefetch_makes_elements_in_a_thread_of_its_own():
    names = []

    def numbers():
        names.append(threading.current_thread().name)
        yield 1

    list(Dataset.from_generator(numbers, tf.int64).prefetch(1))
    assert names == ["tapefacade-prefetch"]


def test_prefetch_starts_no_thread_before_it_is_read():
    iter(Dataset.range(3).prefetch(2))
    assert not own_threads()


def test_prefetch_holds_no_more_elements_than_it_was_told():
    made = []
    iterator = iter(counting(made).prefetch(3))
    next(iterator)
    time.sleep(0.2)
    # One was taken, three wait, one waits for a place.
    assert len(made) == 5
    del iterator


def test_the_thread_ends_when_the_iterator_is_dropped():
    iterator = iter(counting([]).batch(2).prefetch(2))
    next(iterator)
    assert own_threads()
    del iterator
    assert all_have_ended()


def test_threads_end_when_a_loop_is_left():
    for value in counting([]).prefetch(2).map(lambda x: x + 1).prefetch(2):
        if value > 3:
            break
    del value
    assert all_have_ended()


def test_the_thread_ends_with_the_data():
    iterator = iter(Dataset.range(3).prefetch(2))
    assert [int(x) for x in iterator] == [0, 1, 2]
    assert all_have_ended()
    with pytest.raises(StopIteration):
        next(iterator)


def test_prefetched_errors_come_in_their_place():
    def numbers():
        yield 1
        yield 2
        raise KeyError("mine")

    iterator = iter(Dataset.from_generator(numbers, tf.int64).prefetch(5))
    assert [int(next(iterator)), int(next(iterator))] == [1, 2]
    with pytest.raises(tf.errors.UnknownError, match=r"^KeyError: 'mine'\n(.|\n)*in numbers"):
        next(iterator)


def test_an_interrupt_leaves_nothing_behind():
    def numbers():
        yield 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Dataset.from_generator(numbers, tf.int64).prefetch(2))
    assert all_have_ended()


def test_datasets_and_elements_are_let_go():
    x = np.zeros([100, 10], np.float32)
    dataset = Dataset.from_tensor_slices(x).shuffle(10).batch(10).prefetch(2)
    references = [weakref.ref(dataset), weakref.ref(dataset._node)]
    for batch in dataset:
        references.append(weakref.ref(batch))
    del dataset, batch
    gc.collect()
    assert all_have_ended()
    assert [reference() for reference in references] == [None] * len(references)


# -- threads of map -------------------------------------------------------------------------------


def slow(x):
    time.sleep(0.02 if int(x) % 3 == 0 else 0.001)
    return x * 10


def python_map(dataset, **settings):
    return dataset.map(lambda x: tf.py_function(slow, [x], tf.int64), **settings)


def test_parallel_calls_keep_the_order():
    values = list(python_map(Dataset.range(20), num_parallel_calls=4).as_numpy_iterator())
    assert values == [10 * n for n in range(20)]


def test_parallel_calls_are_parallel():
    at_once, most, lock = [0], [0], threading.Lock()

    def call(x):
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.02)
        with lock:
            at_once[0] -= 1
        return x

    dataset = Dataset.range(12).map(
        lambda x: tf.py_function(call, [x], tf.int64), num_parallel_calls=3
    )
    list(dataset)
    assert most == [3]


def test_threads_of_map_end_when_the_iterator_is_dropped():
    iterator = iter(python_map(Dataset.range(1000), num_parallel_calls=3))
    next(iterator)
    assert own_threads()
    del iterator
    assert all_have_ended()


def test_parallel_errors_come_in_their_place():
    def call(x):
        if x == 5:
            raise ArithmeticError("five")
        return x

    dataset = Dataset.range(9).map(
        lambda x: tf.py_function(call, [x], tf.int64), num_parallel_calls=3
    )
    iterator = iter(dataset)
    assert [int(next(iterator)) for _ in range(5)] == list(range(5))
    with pytest.raises(tf.errors.UnknownError, match="five"):
        next(iterator)


# -- rows -----------------------------------------------------------------------------------------


def test_rows_are_copied_once(monkeypatch):
    copied = []
    take = row_streams.Column.take

    def counted(self, numbers):
        copied.append(len(numbers))
        return take(self, numbers)

    monkeypatch.setattr(row_streams.Column, "take", counted)
    dataset = Dataset.from_tensor_slices(np.zeros([1000, 7], np.float32))
    for _ in dataset.shuffle(1000).repeat(2).skip(10).batch(64).prefetch(2):
        pass
    assert sum(copied) == 1990
    copied.clear()
    elements = list(dataset.shuffle(10).take(5))
    assert not copied  # single rows are views
    assert elements[0].shape == (7,)


def test_batches_own_their_memory():
    x = np.zeros([10, 2], np.float32)
    dataset = Dataset.from_tensor_slices(x).batch(5)
    first, second = next(iter(dataset)), next(iter(dataset))
    assert not np.shares_memory(first._numpy_array(), second._numpy_array())


def test_a_short_chain_does_not_read_all_of_a_long_range():
    assert [int(x) for x in Dataset.range(10**15).skip(3).take(2)] == [3, 4]


def test_the_chain_covers_all_rows_in_every_epoch():
    y = np.arange(1003)
    dataset = Dataset.from_tensor_slices((y * 2, y)).shuffle(100).batch(64).prefetch(2)
    orders = []
    for _ in range(3):
        batches = list(dataset.as_numpy_iterator())
        doubled, values = (np.concatenate(column) for column in zip(*batches, strict=True))
        np.testing.assert_array_equal(doubled, 2 * values)
        assert sorted(values) == list(y)
        orders.append(values.tolist())
    assert orders[0] != orders[1] != orders[2]


@pytest.mark.parametrize("size", [1, 2, 7, 50, 99, 100, 101, 1000])
def test_elements_and_rows_are_shuffled_alike(size):
    tf.random.set_seed(4)
    rows = Dataset.range(100).shuffle(size, seed=3)
    tf.random.set_seed(4)
    elements = Dataset.range(100).filter(lambda x: x >= 0).shuffle(size, seed=3)
    for _ in range(2):
        assert [int(x) for x in rows] == [int(x) for x in elements]


# -- functions ------------------------------------------------------------------------------------


def test_functions_are_compiled_once():
    dataset = Dataset.range(500).map(lambda x: x * 3 + 1)
    for _ in dataset.batch(32):
        pass
    before = STATISTICS.compiled
    for _ in range(2):
        for _ in dataset.batch(32):
            pass
    assert STATISTICS.compiled == before


def test_many_rows_are_one_dispatch():
    dataset = Dataset.range(320).map(lambda x: x * 3 + 1).batch(32)
    list(dataset)
    before = STATISTICS.dispatched
    list(dataset)
    assert STATISTICS.dispatched == before + 10


def test_functions_keep_the_values_of_their_names():
    batches = Dataset.range(4).batch(2)  # of a size that is not known before
    for number in (10, 20):
        batches = batches.map(lambda x: x + number)  # noqa: B023 - that is what is tested
    number = 1000
    assert [x.tolist() for x in batches.as_numpy_iterator()] == [[30, 31], [32, 33]]


def test_functions_may_count():
    count = 0

    def counted(x):
        nonlocal count
        count += int(x)
        return x

    assert len(list(Dataset.range(4).map(counted))) == 4
    assert count == 6


def test_the_users_exception_and_line_reach_the_reader():
    def call(x):
        if int(x) == 2:
            raise LookupError("two")  # the line
        return x

    for dataset in (Dataset.range(3).map(call), Dataset.range(3).map(call).batch(2).prefetch(1)):
        with pytest.raises(LookupError, match="two") as caught:
            list(dataset)
        lines = traceback.extract_tb(caught.value.__traceback__)
        assert any(line.line == 'raise LookupError("two")  # the line' for line in lines)
        assert "given to Dataset.map()" in "".join(caught.value.__notes__)


def test_errors_of_compiled_functions_say_where_they_come_from():
    dataset = Dataset.range(3).map(lambda x: tf.gather([1.5, 2.5, 3.5], x + 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in") as caught:
        list(dataset)
    assert "test_data.py" in "".join(caught.value.__notes__) + str(caught.value)


def test_maps_are_on_no_tape():
    w = tf.Variable(3.0)
    dataset = Dataset.from_tensor_slices([1.0, 2.0]).map(lambda x: x * w)
    with tf.GradientTape() as tape:
        total = tf.add_n(list(dataset))
    assert tape.gradient(total, w) is None
    assert float(total) == 9.0


def test_reading_computes_nothing_of_the_program():
    iterator = iter(Dataset.range(200).map(lambda x: x + 1).batch(3))
    next(iterator)
    pending = tf.constant([1.0, 2.0]) * 3.0
    next(iterator)
    assert pending._value is None
    assert THREAD.recording.at.parent is not None
    pending.numpy()


def test_tensors_of_the_program_can_be_captured():
    weights = tf.constant([1.0, 2.0, 3.0]) * 2.0
    dataset = Dataset.range(3).map(lambda i: weights[i]).prefetch(2)
    assert [float(x) for x in dataset] == [2.0, 4.0, 6.0]


def test_iterators_may_be_read_by_several_threads():
    iterator = iter(Dataset.range(2000).map(lambda x: x))
    found, lock = [], threading.Lock()

    def read():
        for value in iterator:
            with lock:
                found.append(int(value))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(2000))


def test_types_of_unknown_results_come_from_elements():
    called = []

    def call(x):
        number = float(x)
        called.append(number)
        return number

    dataset = Dataset.range(5).map(lambda x: tf.constant(call(x)))
    assert not called
    assert repr(dataset) == "<_MapDataset element_spec=TensorSpec(shape=(), dtype=tf.float32, name=None)>"  # noqa: E501  # fmt: skip
    assert len(called) == 2


def test_nothing_tells_the_types_of_no_elements():
    dataset = Dataset.range(0).map(lambda x: tf.constant(float(x)))
    with pytest.raises(ValueError, match="there are none"):
        dataset.element_spec  # noqa: B018
    assert list(dataset) == []


def test_a_dataset_cannot_be_made_of_nothing():
    with pytest.raises(TypeError, match="from_tensor_slices"):
        Dataset()


def test_training_with_a_dataset():
    rng = np.random.default_rng(0)
    x = rng.normal(size=[512, 4]).astype(np.float32)
    y = x @ np.array([1.0, -2.0, 3.0, 0.5], np.float32)
    w = tf.Variable(tf.zeros([4]))
    dataset = Dataset.from_tensor_slices((x, y)).shuffle(512, seed=1).batch(64).prefetch(2)
    for _ in range(20):
        for inputs, targets in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(inputs, w) - targets) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
    np.testing.assert_allclose(w.numpy(), [1.0, -2.0, 3.0, 0.5], atol=1e-3)


# The service. Which of several readers gets an element is chance in TensorFlow.


@pytest.fixture
def service():
    names = tf.data.experimental.service
    dispatcher = names.DispatchServer()
    config = names.WorkerConfig(dispatcher.target.removeprefix("grpc://"))
    workers = [names.WorkerServer(config) for _ in range(2)]
    yield names, dispatcher.target
    del workers


def served(service, dataset, mode="distributed_epoch", **options):
    names, target = service
    return dataset.apply(names.distribute(mode, target, **options))


def test_readers_of_a_job_share_its_elements(service):
    numbers = tf.data.Dataset.range(6)
    first, second = (iter(served(service, numbers, job_name="shared")) for _ in range(2))
    pairs = [(int(next(first)), int(next(second))) for _ in range(3)]
    assert sorted(n for pair in pairs for n in pair) == list(range(6))
    assert [*first, *second] == []
    again = served(service, numbers, job_name="again")
    assert sorted(int(x) for x in again) == sorted(int(x) for x in again) == list(range(6))


def test_trainers_read_the_same_elements(service):
    names, _ = service
    caches = [names.CrossTrainerCache(name) for name in ("a", "b")]
    endless = tf.data.Dataset.range(100).repeat()
    options = {"mode": "parallel_epochs", "job_name": "cached"}
    one, two = (served(service, endless, cross_trainer_cache=cache, **options) for cache in caches)
    assert [int(x) for x in one.take(5)] == [int(x) for x in two.take(5)]


def test_consumers_take_turns_at_what_one_worker_makes(service):
    endless = tf.data.Dataset.range(100).repeat()
    options = {"mode": "parallel_epochs", "job_name": "turns", "num_consumers": 2}
    consumers = [iter(served(service, endless, consumer_index=k, **options)) for k in range(2)]
    rounds = [tuple(int(next(consumer)) for consumer in consumers) for _ in range(4)]
    assert rounds == [(0, 1), (0, 1), (2, 3), (2, 3)]  # of two workers, by turns
    with pytest.raises(tf.errors.FailedPreconditionError, match="infinite cardinality"):
        next(iter(served(service, tf.data.Dataset.range(4), num_consumers=1, job_name="ends")))


def test_a_service_is_of_this_process_and_ends_with_it(service):
    names, target = service
    address = target.removeprefix("grpc://")
    with pytest.raises(tf.errors.UnavailableError, match="Failed to connect") as caught:
        names.WorkerServer(names.WorkerConfig("localhost:1"))
    assert "serves the process that it is in" in caught.value.__notes__[0]
    alone = names.DispatchServer(start=False)
    alone.start()
    thread = threading.Thread(target=alone.join)
    thread.start()
    alone.stop()
    thread.join(10)
    assert not thread.is_alive()
    with pytest.raises(tf.errors.UnavailableError):
        names.register_dataset(alone.target, tf.data.Dataset.range(2))
    assert names.DispatchServer(names.DispatcherConfig(port=alone._port.number))._runs
    assert address != alone._address


def test_readers_wait_for_a_worker():
    names = tf.data.experimental.service
    dispatcher = names.DispatchServer()
    dataset = tf.data.Dataset.range(3).apply(names.distribute("parallel_epochs", dispatcher.target))
    found = []
    thread = threading.Thread(target=lambda: found.extend(int(x) for x in dataset))
    thread.start()
    thread.join(0.05)
    assert thread.is_alive()
    worker = names.WorkerServer(names.WorkerConfig(dispatcher.target.removeprefix("grpc://")))
    thread.join(10)
    assert found == [0, 1, 2]
    worker.stop()
    assert dispatcher._num_workers() == 0
