"""Profiles are written, one at a time."""

import pytest

import tapefacade as tf

profiler = tf.profiler.experimental


def test_a_profile_is_written_and_only_one_at_a_time(tmp_path):
    profiler.start(str(tmp_path), profiler.ProfilerOptions(host_tracer_level=1))
    try:
        with pytest.raises(tf.errors.AlreadyExistsError, match=r"Another profiler is running\."):
            profiler.start(str(tmp_path))
        with profiler.Trace("step", step_num=1, _r=1) as trace:
            trace.set_metadata(loss=1)
            tf.reduce_sum(tf.ones([3])).numpy()
    finally:
        profiler.stop()
    assert list(tmp_path.rglob("*.xplane.pb"))
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()


def test_a_block_is_profiled(tmp_path):
    with profiler.Profile(str(tmp_path)):
        tf.reduce_sum(tf.ones([3])).numpy()
    assert list(tmp_path.rglob("*.xplane.pb"))
