"""Datasets in files: what is kept, and that it is checked when it is read."""

import concurrent.futures
import pathlib
import re
import sqlite3

import numpy as np
import pytest

import tapefacade as tf

VALUES = {
    "float": [1.0, 2.0],
    "texts": ["a", "bc", ""],
    "one text": "abc",
    "no text": [b""][:0] or np.zeros((0, 2), object),
    "empty": np.zeros((3, 0), np.float32),
    "bfloat16": np.array([1.5, 2.5], tf.bfloat16.as_numpy_dtype),
    "float8": np.array([[1.5], [2.5]], tf.dtypes.experimental.float8_e5m2.as_numpy_dtype),
    "bool": [True, False],
    "complex": [1 + 2j],
    "scalar": np.int8(3),
}


@pytest.mark.parametrize("compression", [None, "GZIP"])
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_elements_come_back_as_they_were(tmp_path, value, compression):
    tensor = tf.constant(value)
    dataset = tf.data.Dataset.from_tensors(
        {"x": tensor, "y": (tf.ragged.constant([[1], [2, 3]]), tf.sparse.from_dense([0, 4]))}
    ).repeat(2)
    dataset.save(str(tmp_path), compression=compression)
    back = tf.data.Dataset.load(str(tmp_path))
    assert back.element_spec == dataset.element_spec
    elements = list(back)
    assert len(elements) == 2
    for element in elements:
        assert element["x"].dtype is tensor.dtype
        np.testing.assert_array_equal(element["x"].numpy(), tensor.numpy())
        ragged, sparse = element["y"]
        assert ragged.to_list() == [[1], [2, 3]]
        assert tf.sparse.to_dense(sparse).numpy().tolist() == [0, 4]


@pytest.mark.parametrize("compression", [None, "GZIP"])
@pytest.mark.parametrize("harm", ["changed", "cut", "gone"])
def test_damage_is_found(tmp_path, harm, compression):
    tf.data.Dataset.range(20).save(str(tmp_path), compression=compression)
    (path,) = [p for p in pathlib.Path(tmp_path).iterdir() if p.suffix == ".npy"]
    data = bytearray(path.read_bytes())
    if harm == "changed":
        data[len(data) // 2] ^= 1
    path.write_bytes({"changed": data, "cut": data[: len(data) // 2], "gone": b""}[harm])
    with pytest.raises(tf.errors.DataLossError, match=r"corrupted elements: .*elements\.npy"):
        list(tf.data.Dataset.load(str(tmp_path)))


def test_a_cache_that_is_not_filled_is_filled_by_the_next(tmp_path):
    cached = tf.data.Dataset.range(3).cache(str(tmp_path / "kept"))
    iterator = iter(cached)
    next(iterator)
    del iterator
    assert list(cached.as_numpy_iterator()) == [0, 1, 2]
    other = tf.data.Dataset.range(9).cache(str(tmp_path / "kept"))
    assert list(other.as_numpy_iterator()) == [0, 1, 2]


def test_a_csv_pattern_that_nothing_matches_is_named(tmp_path):
    pattern = str(tmp_path / "*.csv")
    with pytest.raises(ValueError, match=f"No files match `file_pattern` {re.escape(pattern)}"):
        tf.data.experimental.make_csv_dataset(pattern, 2)


def test_another_thread_may_go_on_with_a_query():
    query = "select 1 union all select 2 union all select 3"
    rows = iter(tf.data.experimental.SqlDataset("sqlite", ":memory:", query, [tf.int32]))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = [next(rows), pool.submit(next, rows).result(), next(rows)]
    assert [int(number) for (number,) in found] == [1, 2, 3]


def test_queries_that_fail_say_why(tmp_path):
    dataset = tf.data.experimental.SqlDataset("sqlite", f"{tmp_path}/none", "select 1", [tf.int32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="unable to open database file"):
        next(iter(dataset))
    path = tmp_path / "database"
    sqlite3.connect(path).close()
    path.touch()
    dataset = tf.data.experimental.SqlDataset("sqlite", str(path), "select z", [tf.int32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="no such column: z"):
        next(iter(dataset))
