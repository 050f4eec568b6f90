"""What runs on GPUs and TPUs, tested on a machine without one: lowered, or on a faked platform."""

import jax
import numpy as np
import pytest
from cases import CASES
from lowering import MISSING_ON_TPU, PLATFORMS, chosen, failures, recorded_forms
from steps import Network

import tapefacade as tf
from tapefacade._core import placement
from tapefacade._trace import execution_mode, first_runs, segments

# Subjects whose lowering has rules of its own: libraries, sorting, random bits, windows, loops.
PATHS = (
    "linalg.cholesky", "linalg.svd", "linalg.qr", "linalg.eigh", "linalg.solve", "linalg.lu",
    "linalg.expm", "signal.fft", "signal.irfft", "sort", "math.top_k", "unique", "cumsum",
    "math.igamma", "math.betainc", "math.lgamma", "math.erfinv", "nn.conv2d", "nn.max_pool2d",
    "nn.softmax", "random.stateless_uniform", "random.stateless_normal", "image.resize",
    "scatter_nd", "gather", "math.segment_sum", "math.bincount", "einsum", "searchsorted",
    "linalg.eig", "linalg.eigvals", "linalg.sqrtm", "linalg.logm",
)  # fmt: skip


@pytest.fixture(scope="module")
def forms():
    first = {}
    for case in CASES:
        if case.path in PATHS and not case.raises:
            first.setdefault(case.path, case)
    assert len(first) >= 25
    return chosen(recorded_forms(list(first.values())))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_steps_are_lowered_for_accelerators(forms, platform):
    assert len(forms) > 50
    count, found = failures(forms, platform)
    assert count == len(forms)
    if platform == "tpu":
        labels = {label for label, text in found if MISSING_ON_TPU in text}
        assert {"linalg.eig", "linalg.eigvals", "linalg.sqrtm", "linalg.logm"} <= labels
        found = [pair for pair in found if MISSING_ON_TPU not in pair[1]]
    assert not found


class _Tpu:
    platform, id = "tpu", 0


@pytest.mark.parametrize("name", ["eig", "eigvals", "sqrtm", "logm"])
def test_what_tpus_lack_says_so_at_the_call(name, monkeypatch):
    size = 19 + len(name)  # no other test has had what it asks inferred
    matrix = tf.constant(np.diag(1.0 + np.arange(size)).astype("complex64"))
    monkeypatch.setattr(placement, "default_device", lambda: _Tpu)
    with pytest.raises(tf.errors.UnimplementedError, match=r"tf.device\('/CPU:0'\)"):
        getattr(tf.linalg, name)(matrix)
    monkeypatch.undo()
    getattr(tf.linalg, name)(matrix)


@pytest.mark.parametrize("platform", ["gpu", "tpu"])
def test_numpy_computes_nothing_for_accelerators(platform, monkeypatch):
    made = []
    program = first_runs.NumpyProgram

    def counted(executable):
        made.append(executable)
        return program(executable)

    monkeypatch.setattr(first_runs, "NumpyProgram", counted)
    monkeypatch.setattr(first_runs, "MIN_SIZE", 0)
    monkeypatch.setattr(first_runs, "WEIGHT_OF_DEEP_PROGRAM", 0.0)
    width = {"gpu": 11, "tpu": 13}[platform]

    def step(rows):
        network = Network()
        with tf.GradientTape() as tape:
            x = tf.reshape(tf.range(3.0 * rows), [rows, 3])
            for _ in range(6):
                x = tf.tanh(tf.matmul(x, tf.ones([3, 3]) * 0.1)) + tf.sin(x) * tf.cos(x)
            loss = tf.reduce_sum(tf.matmul(x, network.variables[0]))
        return tape.gradient(loss, network.variables[0]).numpy()

    step(width)
    assert made  # on a CPU, NumPy computes it first
    made.clear()
    monkeypatch.setattr(jax, "default_backend", lambda: platform)
    step(width + 1)
    assert not made


def test_pieces_of_programs_are_compiled_for_accelerators(monkeypatch):
    modes = execution_mode.ExecutionModes()
    early = {"cpu": [], "tpu": []}
    plain = execution_mode.ProgramInPieces

    def made(*args, is_early=False, **kw):
        early[jax.default_backend()].append(is_early)
        return plain(*args, is_early=is_early, **kw)

    monkeypatch.setattr(execution_mode, "ProgramInPieces", made)
    monkeypatch.setattr(execution_mode, "EXECUTION_MODES", modes)
    monkeypatch.setattr(execution_mode.EXECUTION_MODES, "_is_risked", lambda *args: True)
    from tapefacade._trace import execution

    monkeypatch.setattr(execution, "EXECUTION_MODES", modes)
    monkeypatch.setattr(execution_mode.BACKGROUND_COMPILER, "is_on", True)
    x = tf.constant([1.0, 2.0])
    for platform, length in ("cpu", 31), ("tpu", 37):
        monkeypatch.setattr(jax, "default_backend", lambda name=platform: name)
        y = x
        for _ in range(length):
            y = tf.sin(y)
        y.numpy()
    assert early["cpu"]
    assert all(early["cpu"])  # NumPy computes the first runs
    assert early["tpu"]
    assert not any(early["tpu"])


def test_data_is_moved_on_the_host_for_cpus_only(monkeypatch):
    class Step:
        inputs, types = tuple(range(segments.SLOTS_OF_WIDE_STEPS)), (None,)

        class operation:  # noqa: N801
            is_moving = True

    assert segments.is_wide(Step)
    monkeypatch.setattr(jax, "default_backend", lambda: "tpu")
    assert not segments.is_wide(Step)
