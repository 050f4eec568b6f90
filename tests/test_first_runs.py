"""The first runs of deep programs, by NumPy, and the compilation of the whole in the background."""

import contextlib
import gc
import os
import subprocess
import sys
import threading
import time
import types
import weakref
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from steps import Network, counted, settle

import tapefacade as tf
from tapefacade._ops.image import resizing
from tapefacade._ops.image.sums_of_pixels import sums_of_pixels
from tapefacade._ops.nn.depthwise_products import shifted_products
from tapefacade._ops.nn.filter_places import Places
from tapefacade._port.report import Report
from tapefacade._trace import (
    background_compilation,
    executables,
    execution,
    execution_mode,
    first_runs,
    garbage_collection,
    interpreter,
    tree,
)
from tapefacade._trace.background_compilation import (
    BACKGROUND_COMPILER,
    SECONDS_OF_TRACING,
    BackgroundCompiler,
    CompilationJob,
)
from tapefacade._trace.garbage_collection import (
    LONGEST_PAUSE,
    MOST_IMMORTAL,
    OLD_OBJECTS,
    no_collection,
)
from tapefacade._trace.interpreter import (
    RENAMED_PARAMETERS,
    Interpreter,
    is_interpretable,
    prepare_all,
    weight_of,
)
from tapefacade._trace.numpy_steps import step_kind
from tapefacade._trace.recording import THREAD

RNG = np.random.default_rng(3)
F = RNG.normal(size=(3, 4)).astype("f")
ODD = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e30, -2.5, 0.5], "f")
INTS = np.array([[5, -3, 0], [2**31 - 1, -(2**31), 7]], np.int32)
BYTES = np.array([0, 1, 127, 128, 255], np.uint8)
IMAGES = RNG.normal(size=(4, 7, 6, 4)).astype("f")


def conv(strides=(1, 1), padding="SAME", left=(1, 1), right=(1, 1), groups=1, outputs=8):
    """Returns a convolution and its gradients."""
    kernel = RNG.normal(size=(3, 2, 4 // groups, outputs)).astype("f")

    def apply(x, w):
        return lax.conv_general_dilated(
            x, w, strides, padding, left, right, ("NHWC", "HWIO", "NHWC"), groups
        )

    def run(x, w):
        y, pull = jax.vjp(apply, x, w)
        return y, pull(y * y)

    return run, (IMAGES, kernel)


def of_each_channel(places):
    """Returns a depthwise convolution and its gradients."""

    def run(x, w):
        y, pull = jax.vjp(lambda x, w: shifted_products(x, w, places), x, w)
        return y, pull(y * y)

    return run, (IMAGES, RNG.normal(size=(*places.window, 4)).astype("f"))


def resized(x):
    """Returns interpolated pixels and their gradient."""
    known = resizing._bilinear(7, 14, resizing.HALVES)
    y, pull = jax.vjp(lambda x: sums_of_pixels(x, *known, 1), x)
    nearest = resizing._nearest(6, 3, resizing.HALVES)[None]
    return y, pull(y * y), sums_of_pixels(x, nearest, None, 2)


def pooled(init, function, sizes, strides, padding):
    def run(x):
        y, pull = jax.vjp(
            lambda x: lax.reduce_window(x, init, function, sizes, strides, padding), x
        )
        return y, pull(y * y)

    return run, (IMAGES,)


def gathers(x, i):
    modes = ["clip", "fill", "wrap"]
    rows = lax.GatherDimensionNumbers((1, 2), (), (0,))
    along = lax.GatherDimensionNumbers((0,), (), (1,), (0,), (0,))
    kept = [jnp.clip(i, 0, 2)[:3], i]
    return [
        *[jnp.take(x, i, axis=a, mode=m) for m in modes for a in (0, 1)],
        jnp.take(x, i, axis=0, fill_value=-5.0),
        jnp.take(x.astype(np.int32), i, axis=1),
        jnp.take(x > 0, i, axis=1),
        jnp.take(x.astype(np.uint8), i.astype(np.int64), axis=1),
        x[i[:2][:, None] % 3, i[None] % 4],
        x[:, i % 4],
        x[i[0] % 3, 1:3],
        x[kept[0], kept[0]],
        jnp.take_along_axis(x, i[:3][:, None] % 4, 1),
        jax.vmap(lambda r, k: r[k])(x, i[:3]),
        *[lax.gather(x, i[:, None], rows, (2, 3), mode=m) for m in ("clip", "fill")],
        lax.gather(x, i[:3, None], along, (1, 2), mode="clip"),
        jnp.take(x, i.reshape(2, 2), axis=1),
        jnp.take(x, i[1], axis=0),
    ]


def scatters(x, i, ints):
    spread = x[:, :1] * jnp.arange(5, dtype=np.float32)
    rows = lax.ScatterDimensionNumbers((1, 2), (), (0,))
    along = lax.ScatterDimensionNumbers((1,), (), (1,), (0,), (0,))
    windows = jnp.arange(20, dtype=np.float32).reshape(5, 2, 2)
    return [
        *[x.at[:, i].add(spread, mode=m) for m in ("clip", "drop")],
        *[x.at[i].add(spread.T[:, :1], mode=m) for m in ("clip", "drop")],
        *[lax.scatter_add(x, i[:, None], windows, rows, mode=m) for m in ("clip", "drop")],
        *[lax.scatter_add(x, i[:3, None], windows[:3, 0], along, mode=m) for m in ("clip", "drop")],
        x.at[i[0], i[2]].add(3.0),
        x.astype(np.int32).at[i].add(1),
        ints.at[0, i].add(7),
        jax.grad(lambda x: jnp.sum(jnp.take(x, i, axis=1, mode="clip") ** 2))(x),
        jax.grad(lambda x: jnp.sum(jnp.sin(x[i[:2][:, None] % 3, i[None] % 4])))(x),
    ]


def scanned(c, rows):
    return lax.scan(lambda c, row: (jnp.tanh(c + row), (c * row, row.sum())), c, rows)


def of_16_bits(odd, x, images, ints):
    kernel = images[0, :2, :3, :, None] * images[1, 0, 0]

    def applied(x, w):
        return lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    y, pull = jax.vjp(applied, images, kernel)
    return [
        *[f(odd) for f in (jnp.abs, jnp.negative, jnp.sign, jnp.isfinite, jnp.tanh, jax.nn.relu)],
        x * 2 + 1, x.sum(0), x.max(1), x.mean(), jnp.exp(-jnp.abs(x)), x @ x.T,
        jnp.where(x > 0, x, -x), jnp.sort(x, 1), jnp.argmax(x, 1), jnp.cumsum(x, 0), x[:, ::2],
        jnp.concatenate([x, x], 1), x.astype(np.float32), x.astype(np.int32), x.astype(bool),
        ints.astype(x.dtype), jnp.float32(1.0009765) * x.astype(np.float32), x[ints[0] % 3],
        x.at[ints[0] % 3].add(x), x[0].at[jnp.repeat(ints[0] % 3, 900)].add(x.dtype.type(1)),
        lax.scan(lambda c, r: (c + r, c * r), x[0], x), y, pull(y),
        lax.bitcast_convert_type(x, np.uint16), lax.cond(ints[0, 0] > 0, jnp.sin, jnp.cos, x),
        lax.dot(x, x.T, preferred_element_type=np.float32), lax.reduce_precision(x, 5, 3),
    ]  # fmt: skip


PROGRAMS = {
    "elementwise": (
        lambda x: [f(x) for f in (
            jnp.exp, jnp.log, jnp.tanh, jnp.sin, jnp.cos, jnp.sqrt, lax.rsqrt, jnp.sign, jnp.floor,
            jnp.ceil, jnp.round, jnp.abs, jnp.square, lax.logistic, jnp.isfinite, jnp.expm1,
            jnp.log1p, lax.erf, jnp.arctan, jnp.cbrt, jnp.negative, lax.stop_gradient,
            lambda x: lax.integer_pow(x, 3), lambda x: lax.integer_pow(x, -2), jax.nn.relu,
            jax.nn.gelu, jax.nn.softmax, jax.nn.elu, lambda x: x**0.5, jnp.sinh, jnp.arcsinh,
        )], (ODD,)),
    "two": (
        lambda x, y: [f(x, y) for f in (
            jnp.add, jnp.subtract, jnp.multiply, jnp.true_divide, jnp.maximum, jnp.minimum,
            jnp.power, jnp.arctan2, lax.rem, jnp.less, jnp.equal, jnp.not_equal, jnp.greater_equal,
        )], (ODD, ODD[::-1].copy())),
    "integers": (
        lambda x: [
            x + x, x * x, x - 1, lax.div(x, jnp.int32(-2)), lax.rem(x, jnp.int32(0)), ~x, x & 6,
            x | 6, x ^ 6, jnp.sum(x), jnp.prod(x, 0), jnp.cumsum(x, 1), jnp.max(x, 1),
            jnp.sign(x), jnp.abs(x),
            lax.shift_left(x, jnp.int32(3)), lax.shift_left(x, jnp.int32(32)),
            lax.shift_right_logical(x, jnp.int32(3)), lax.shift_right_logical(x, jnp.int32(40)),
            lax.shift_right_arithmetic(x, jnp.int32(3)), lax.integer_pow(x, 2),
            lax.shift_right_arithmetic(x, jnp.int32(40)), lax.div(x, jnp.int32(0)),
            lax.div(x, jnp.int32(-1)), lax.div(jnp.int32(7), x), x // 3, lax.sort(x, 0),
            lax.bitcast_convert_type(x, np.int16), lax.top_k(x, 2),
            lax.bitcast_convert_type(x.reshape(3, 2), np.int64),
            x.astype(np.int8), x.astype("f"), x.astype(bool),
            lax.bitcast_convert_type(x, np.float32),
        ], (INTS,)),
    "bytes": (
        lambda x: [x + x, ~x, x > 3, jnp.sum(x), jnp.mean(x.astype("f")), lax.shift_left(x, x),
                   lax.bitcast_convert_type(x, np.int8), jnp.sum(x, dtype=np.uint8),
                   lax.shift_right_arithmetic(x, np.uint8(1)), lax.top_k(x, 3),
                   lax.div(x, lax.rev(x, (0,)) | 1), lax.div(x, np.uint8(7))], (BYTES,)),
    "orders": (
        lambda x, i: [
            lax.sort(x), lax.top_k(x, 4), lax.top_k(-jnp.abs(x), 3), jnp.argsort(x),
            lax.sort((i, x), num_keys=1), lax.sort((i, x), num_keys=2),
            lax.top_k(jnp.stack([x, -x], 1), 3, axis=0), lax.sort((x > 0, i), num_keys=1),
            jnp.median(x[4:]), lax.sort(x.astype("d")),
        ], (np.append(ODD, -np.float32(np.nan)), np.array([1, 0, 1, 0, 0, 2, 2, 1, 0], np.int32))),
    "searches": (lambda x: [jnp.searchsorted(lax.sort(x), x)], (ODD,)),  # one step from JAX 0.12 on
    "to integers": (lambda x: [x.astype(np.int32), x.astype(np.uint8), x.astype(np.int64)], (ODD,)),
    "booleans": (
        lambda x: [x > 0, ~(x > 0), (x > 0) & (x < 1), jnp.any(x > 0, 0), jnp.all(x > 0),
                   jnp.where(x > 0, x, 0.0), jnp.sum(x > 0), (x > 0).astype("f")], (F,)),
    "shapes": (
        lambda x: [
            x.reshape(2, 6), x.T, x[None], jnp.squeeze(x[:1], 0), jnp.broadcast_to(x[0], (5, 4)),
            jnp.flip(x, 1), x[1:, ::2], jnp.concatenate([x, x], 1), jnp.stack([x, x], 1),
            *jnp.split(x, [1, 3], 1), lax.pad(x, np.float32(7), [(1, 0, 2), (0, 2, 0)]),
            lax.pad(x, np.float32(7), [(-1, 0, 1), (0, -2, 0)]), jnp.tile(x, (2, 1)),
            lax.dynamic_slice(x, (jnp.int32(5), jnp.int32(-1)), (2, 2)), jnp.arange(5) + 1,
            lax.dynamic_update_slice(x, x[:2, :2], (jnp.int32(2), jnp.int32(1))),
            x[jnp.array([2, 0])], jnp.sort(x, 1), lax.top_k(x, 2), jnp.zeros((0, 3)) + 1.0,
            lax.clamp(np.float32(-0.5), x, np.float32(0.5)),
        ], (F,)),
    "reductions": (
        lambda x: [jnp.sum(x), jnp.sum(x, 1), jnp.max(x, 0), jnp.min(x), jnp.prod(x, (0, 1)),
                   jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 1),
                   lax.cumsum(x, 0, reverse=True), jnp.std(x), jnp.max(x[:0].sum(0))], (F,)),
    "NaN": (lambda x: [jnp.max(x), jnp.argmax(x), jnp.minimum(x, 0), jnp.cumsum(x)], (ODD,)),
    "products": (
        lambda x, y: [x @ y.T, jnp.einsum("ij,kj->ik", x, y),
                      jnp.einsum("bij,bkj->bki", x[None], y[None]), jnp.dot(x[0], y[0]),
                      jnp.outer(x[0], y[0]), jnp.tensordot(x, y, 2),
                      jnp.einsum("bihd,bjhd->bhij", x.reshape(1, 3, 2, 2), y.reshape(1, 3, 2, 2))],
        (F, F[::-1].copy())),
    "float64": (lambda x: [jnp.sum(x * x), jnp.tanh(x), x @ x.T, x.astype("f")], (F.astype("d"),)),
    "half": (lambda x: [jnp.tanh(x) * x, jnp.sum(x), x @ x.T], (F.astype(np.float16),)),
    "complex": (lambda x: [jnp.exp(x * 1j), jnp.abs(x + 1j), jnp.fft.fft(x)], (F,)),
    "scan": (scanned, (F[0], F)),
    "reversed scan": (
        lambda c, r: lax.scan(lambda c, x: (c + x, c), c, r, reverse=True), (F[0], F)),
    "gradient of a scan": (
        lambda c, r: jax.grad(lambda c, r: scanned(c, r)[0].sum())(c, r), (F[0], F)),
    "cond": (lambda x: [lax.cond(x[0, 0] > k, jnp.sin, jnp.cos, x) for k in (-9, 9)], (F,)),
    "while": (
        lambda x: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, x)),
        (F,)),
    "whiles side by side": (
        jax.vmap(lambda x: lax.while_loop(
            lambda s: s[0] < x[0] * 5, lambda s: (s[0] + 1, s[1] * 2 + x), (0.0, x))),
        (F,)),
    "long while": (  # XLA goes on where NumPy has come to
        lambda x: lax.while_loop(
            lambda s: s[0] < 30_000, lambda s: (s[0] + 1, s[1] + x * 1e-4), (0, x)),
        (F,)),
    "switch": (lambda x: [lax.switch(k, [jnp.sin, jnp.cos, jnp.tan], x) for k in (-1, 1, 5)], (F,)),
    "random": (lambda x: jax.random.normal(jax.random.key(3), (4,)) + x[0], (F,)),
    "gather": (
        lambda x: jax.grad(lambda x: jnp.sum(jnp.take(x, jnp.array([0, 2, 2]), axis=0) ** 2))(x),
        (F,)),
    "gathers": (gathers, (F, np.array([2, -1, 0, 7], np.int32))),
    "scatters": (scatters, (F, np.array([2, -1, 0, 7, 2], np.int32), INTS)),
    "conv": conv(), "strided conv": conv((2, 3)), "valid conv": conv((2, 1), "VALID"),
    "dilated conv": conv(right=(2, 2)), "transposed conv": conv((1, 1), [(2, 1), (0, 2)], (2, 3)),
    "narrow conv": conv((1, 1), [(-1, 0), (0, -2)]), "grouped conv": conv(groups=2),
    "depthwise conv": conv((2, 2), groups=4), "wide conv": conv((1, 1), "SAME", outputs=4),
    "shifted products": of_each_channel(
        Places((7, 6), (3, 2), (1, 1), ((1, 0), (0, 2)), (2, 1), (1, 2))),
    "sums of pixels": (resized, (IMAGES,)),
    "max pool": pooled(-np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"),
    "overlapping max pool": pooled(-np.inf, lax.max, (1, 3, 2, 1), (1, 2, 1, 1), "VALID"),
    **{f"numbers of 16 bits: {np.dtype(dtype)}": (of_16_bits, (
        np.minimum(ODD, 3e4).astype(dtype), F.astype(dtype), IMAGES.astype(dtype),
        INTS.astype(np.int8),
    )) for dtype in (np.float16, jnp.bfloat16)},
    "average pool": pooled(0.0, lax.add, (1, 2, 3, 1), (1, 2, 2, 1), "SAME"),
}  # fmt: skip


# XLA need not round all that is between two operations.
TOLERANCES = {np.dtype(np.float16): (2e-2, 1e-2), np.dtype(jnp.bfloat16): (3e-2, 8e-2)}


def computed(interpreter, arrays):
    with np.errstate(all="ignore"):
        return [np.asarray(value) for value in interpreter.run(arrays)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_numpy_computes_what_xla_does(name):
    run, arrays = PROGRAMS[name]
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
        traced = jax.jit(run).trace(*arrays)
        assert is_interpretable(traced.jaxpr)
        interpreter = Interpreter(traced.jaxpr)
        prepare_all([interpreter])
        want = jax.tree.leaves(traced.lower().compile()(*arrays))
        for _ in range(2):
            got = computed(interpreter, arrays)
            for one, other in zip(got, want, strict=True):
                assert (one.dtype, one.shape) == (other.dtype, other.shape)
                exact = one.dtype.kind in "biu"
                rtol, atol = (0, 0) if exact else TOLERANCES.get(one.dtype, (2e-5, 1e-4))
                if one.dtype in TOLERANCES:
                    one, other = (np.asarray(a).astype(np.float64) for a in (one, other))
                np.testing.assert_allclose(one, other, rtol, atol)


def test_numbers_of_16_bits_need_no_compiler():
    x = jnp.ones((3, 4), jnp.bfloat16)
    traced = jax.make_jaxpr(lambda x: jnp.tanh(x @ x.T).sum(0) * 2 - x[:, 0])
    assert not Interpreter(traced(x)).alone


NEEDS_NO_COMPILER = [
    "conv", "depthwise conv", "shifted products", "transposed conv", "max pool", "scan", "while",
    "gathers", "scatters", "integers", "bytes", "orders", "sums of pixels",
]  # fmt: skip


@pytest.mark.parametrize("name", NEEDS_NO_COMPILER)
def test_what_numpy_computes_needs_no_compiler(name):
    run, arrays = PROGRAMS[name]
    with jax.enable_x64(True):
        assert not Interpreter(jax.make_jaxpr(run)(*arrays)).alone


class Renamed:
    """Parameters of an operation in a JAX to come: none has the name it had."""

    def __getitem__(self, name):
        raise KeyError(name)


@pytest.mark.parametrize("name", ["conv", "scan", "while", "switch", "gathers", "orders"])
def test_what_has_other_parameters_than_we_know_is_compiled(name, monkeypatch):
    run, arrays = PROGRAMS[name]

    def renamed(maker):
        return lambda self, equation: maker(
            self, SimpleNamespace(primitive=equation.primitive, params=Renamed(),
                                  invars=equation.invars, outvars=equation.outvars)
        )  # fmt: skip

    with jax.enable_x64(True):
        closed = jax.make_jaxpr(run)(*arrays)
        want = jax.tree.leaves(jax.jit(run)(*arrays))
        monkeypatch.setattr(Interpreter, "_by_numpy", renamed(Interpreter._by_numpy))
        with pytest.raises(KeyError):
            Interpreter(closed)  # in tests it is noticed
        monkeypatch.setattr(RENAMED_PARAMETERS, "are_errors", False)
        monkeypatch.setattr(interpreter, "CALLS", dict.fromkeys(interpreter.CALLS, "renamed"))
        found = Interpreter(closed)
        assert found.alone
        for one, other in zip(computed(found, arrays), want, strict=True):
            np.testing.assert_allclose(one, other, 2e-5, 1e-4)


def test_what_calls_python_or_is_about_devices_is_no_program_for_numpy():
    closed = jax.make_jaxpr(lambda x: jax.pure_callback(np.sin, x, x))(F)
    assert not is_interpretable(closed)
    inner = jax.make_jaxpr(lambda x: jax.jit(lambda x: jax.pure_callback(np.sin, x, x))(x))(F)
    assert not is_interpretable(inner)
    printed = jax.make_jaxpr(lambda x: (jax.debug.print("{}", x), x)[1])(F)
    assert not is_interpretable(printed)


def test_what_nobody_needs_is_not_computed():
    interpreter = Interpreter(jax.make_jaxpr(lambda x: (lax.erf(x), x + 1.0)[1])(F))
    assert not interpreter.alone
    assert len(interpreter._code) == 1


def test_weights():
    chain = jax.make_jaxpr(lambda x: jax.jit(jnp.tanh)(x) + x)(F).jaxpr
    assert weight_of(chain) == 2.0  # a call weighs what it calls
    assert weight_of(jax.make_jaxpr(lambda x: lax.sort(x))(F).jaxpr) > 10.0


# The life of a program.


@pytest.fixture
def all_deep(monkeypatch):
    """Every program is too deep to be waited for; nothing has been compiled."""
    settle()
    found = executables._Executables()
    monkeypatch.setattr(executables, "EXECUTABLES", found)
    monkeypatch.setattr(execution, "EXECUTABLES", found)
    monkeypatch.setattr(first_runs, "EXECUTABLES", found)
    monkeypatch.setattr(tree, "MAX_NODES", -1)
    monkeypatch.setattr(first_runs, "WEIGHT_OF_DEEP_PROGRAM", 0.0)
    monkeypatch.setattr(first_runs, "MIN_STEPS_BY_NUMPY", 8)
    monkeypatch.setattr(first_runs, "MIN_SIZE", 8)
    THREAD.recording.close()  # the next one begins at a root that knows no program
    yield found
    settle()


@pytest.fixture
def jobs(monkeypatch):
    """The programs that are asked for."""
    found = []
    run = CompilationJob.run
    monkeypatch.setattr(CompilationJob, "run", lambda job: (found.append(job), run(job))[1])
    return found


@contextlib.contextmanager
def held(monkeypatch):
    """A thread that compiles nothing before it is let go."""
    monkeypatch.setattr(BACKGROUND_COMPILER, "is_waited_for", False)
    go, run = threading.Event(), CompilationJob.run
    with monkeypatch.context() as patched:
        patched.setattr(CompilationJob, "run", lambda job: (go.wait(60), run(job))[1])
        try:
            yield go
        finally:
            go.set()
            BACKGROUND_COMPILER.wait()


def trained(network, steps, step=None):
    losses, counts = [], []
    for _ in range(steps):
        with counted() as count:
            losses.append((step or network.step)(network.x, network.y, 0.1).numpy())
            network.variables[0].numpy()
        counts.append((count.compiled, count.dispatched))
    return losses, counts


def test_what_numpy_computes_stays_where_the_next_step_needs_it(all_deep, monkeypatch):
    network = Network()
    with held(monkeypatch):
        for _ in range(3):
            network.step(network.x, network.y, 0.1).numpy()
        with monkeypatch.context() as patched:
            patched.delattr(jax, "device_put")
            network.step(network.x, network.y, 0.1).numpy()
    assert all(type(v._tensor._value) is np.ndarray for v in network.variables)
    network.step(network.x, network.y, 0.1).numpy()
    assert all(isinstance(v._tensor._value, jax.Array) for v in network.variables)


def test_integers_of_a_deep_step_are_computed_with_as_later(all_deep, monkeypatch):
    """Seeds on the host would be computed with at once: the next step would be another program."""
    network, seed = Network(), tf.Variable([3, 4])
    with held(monkeypatch):
        for _ in range(3):
            factor = tf.cast(seed * 5 + 7, tf.float32)
            loss = network.step(network.x, network.y, 0.1)
            seed.assign(tf.cast(tf.clip_by_value(loss * factor, 0.0, 9.0), tf.int32))
            loss.numpy()
        assert isinstance(seed._tensor._value, jax.Array)


@pytest.mark.parametrize("is_function", [False, True])
def test_a_deep_step_is_compiled_once_when_it_repeats(all_deep, jobs, is_function):
    network, other = Network(), Network()
    step = tf.function(network.step) if is_function else None
    losses, counts = trained(network, 4, step)
    assert counts == [(0, 1), (1, 1), (0, 1), (0, 1)]
    assert len(jobs) == 1
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(BACKGROUND_COMPILER, "is_on", False)
        want, _ = trained(other, 4)
    np.testing.assert_allclose(losses, want, 1e-5)
    for one, another in zip(network.state(), other.state(), strict=True):
        np.testing.assert_allclose(one, another, 1e-4, 1e-5)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_the_first_step_of_a_model_is_the_program_of_all(all_deep, jobs, optimizer):
    """Its optimizer is recorded in it, and its counters are numbers that Python has made."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(3), layers.Dropout(0.5), layers.Dense(2)])
    optimizer = getattr(tf.keras.optimizers, optimizer)(0.1)
    model.build((None, 4))
    optimizer.build(model.trainable_variables)
    counts = []
    for _ in range(3):
        with counted() as count:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(F, training=True) ** 2)
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            loss.numpy()
        counts.append(count.compiled)
    assert (counts, len(jobs)) == ([0, 1, 0], 1)


@pytest.mark.parametrize("is_function", [False, True])
def test_steps_go_on_while_the_whole_is_compiled(all_deep, monkeypatch, is_function):
    network = Network()
    step = tf.function(network.step) if is_function else None
    with held(monkeypatch) as go:
        _, before = trained(network, 5, step)
        assert before == [(0, 1)] * 5
        (runs,) = [e.first_runs for e in all_deep._found.values() if e.first_runs is not None]
        assert runs.job is not None
        assert not runs.job.is_done
        go.set()
        BACKGROUND_COMPILER.wait()
        assert runs.job.is_done
        _, after = trained(network, 2, step)
        assert after == [(0, 1)] * 2  # not traced again
        assert all(e.first_runs is None and e.call is not None for e in all_deep._found.values())


def test_equal_layers_are_traced_once(all_deep):
    def step(layers):
        y = tf.constant(F[:, :3])
        for _ in range(layers):
            y = tf.tanh(y @ y + 1.0)
        return tf.reduce_sum(y).numpy()

    step(8)
    known = step_kind.cache_info().currsize
    step(16)
    assert step_kind.cache_info().currsize == known


def test_initial_values_are_not_compiled(monkeypatch):
    settle()
    with counted() as count:
        values = [tf.zeros([n, 3]) + tf.ones([3]) for n in range(1, 61)]
        assert sum(value.numpy().sum() for value in values) == 3 * sum(range(1, 61))
    assert count.compiled == 0


def test_initial_values_that_are_drawn_are_not_compiled(monkeypatch):
    """XLA takes as long for the weights of a deep model as for its step: 0.3 s for each shape."""
    seeds = [(3, n) for n in range(5)]

    def drawn():
        even = [tf.random.stateless_uniform((n + 2, 3), seed) for n, seed in enumerate(seeds)]
        odd = [tf.random.stateless_truncated_normal((n + 2, 7), s) for n, s in enumerate(seeds)]
        return [value.numpy() for value in tf.nest.map_structure(lambda x: 2.0 * x, [*even, *odd])]

    settle()
    with counted() as count:
        found = drawn()
    assert count.compiled == 0
    with monkeypatch.context() as patched:
        patched.setattr(BACKGROUND_COMPILER, "is_on", False)
        with counted() as count:
            expected = drawn()
    assert count.compiled == 1
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, other, 1e-6, 1e-7)


DRAWS = {
    "gamma": lambda n: tf.random.stateless_gamma([n, 2], [1, n], [0.5, 3.0]),
    "poisson": lambda n: tf.random.stateless_poisson([n, 2], [1, n], [0.5, 30.0]),
    "binomial": lambda n: tf.random.stateless_binomial([n], [1, n], 30.0, 0.4),
    "in a loop": lambda n: tf.while_loop(
        lambda k, x: tf.reduce_any(x < 0.9),
        lambda k, x: (k + 1, tf.maximum(x, tf.random.stateless_uniform([n], [k, n]))),
        (0, tf.zeros([n])),
    )[1],
}


def test_what_takes_numpy_long_is_compiled_earlier():
    weight = 3 * first_runs.WEIGHT_PER_SECOND
    runs = first_runs.FirstRuns(types.SimpleNamespace(weight=weight, weight_of_loops=0), None, 16)
    runs.count, runs.seconds = 2, 2.9
    assert not runs.is_enough(16)
    runs.seconds = 3.0  # as long as XLA takes
    assert runs.is_enough(16)


@pytest.mark.parametrize("name", DRAWS)
def test_draws_that_try_until_they_fit_are_compiled_when_they_have_repeated(name, monkeypatch):
    """XLA takes 0.8 to 3 s for one; NumPy computes a few numbers in some milliseconds."""
    draw = DRAWS[name]
    monkeypatch.setattr(first_runs, "WEIGHT_OF_DRAWS", 0.0)
    monkeypatch.setattr(first_runs, "SIZE_OF_DRAW", first_runs.MIN_SIZE)
    runs = 1 if name == "in a loop" else first_runs.RUNS_OF_VARYING
    settle()
    with counted() as count:
        found = [draw(n).numpy() for n in (3, 4, 5, *[3] * (runs - 1))]
    assert count.compiled == 0
    with counted() as count:
        found += [draw(n).numpy() for n in (3, 3, 3)]
    assert count.compiled == 1
    for again in found[3:]:
        np.testing.assert_allclose(again, found[0], 1e-6)


def test_a_program_that_is_a_long_loop_is_compiled_once(monkeypatch):
    """XLA would compile the loop for the first run, and all of it for the others."""
    monkeypatch.setattr(first_runs, "WEIGHT_OF_DEEP_PROGRAM", 0.0)
    monkeypatch.setattr(first_runs, "MIN_STEPS_BY_NUMPY", 1)
    monkeypatch.setattr(first_runs, "MIN_SIZE", 0)

    @tf.function
    def walk(length):
        step = lambda k, x: (k + 1, x + tf.sin(x) / 100.0)  # noqa: E731
        return tf.while_loop(lambda k, x: k < length, step, (0, tf.constant([1.0, 2.0])))

    settle()
    with counted() as count:
        short = walk(tf.constant(3))[1].numpy()
    assert (count.compiled, count.seconds_early > 0) == (0, True)
    with monkeypatch.context() as patched:
        patched.setattr(background_compilation.BACKGROUND_COMPILER, "is_waited_for", False)
        patched.setattr(first_runs, "compilation", lambda *_: None)  # the background is busy
        with counted() as count:
            assert walk(tf.constant(20_000))[0].numpy() == 20_000
    assert count.compiled == 1
    with counted() as count:
        np.testing.assert_allclose(walk(tf.constant(3))[1].numpy(), short, 1e-6)
    assert (count.compiled, count.seconds_early) == (0, 0.0)


def test_what_an_optimizer_does_alike_for_all_variables_is_traced_once(monkeypatch):
    monkeypatch.setattr(BACKGROUND_COMPILER, "is_on", False)
    variables = [tf.Variable(np.full(n + 2, 3.0, "f")) for n in range(9)]
    optimizer = tf.keras.optimizers.Adam(0.1)
    optimizer.build(variables)

    @tf.function(jit_compile=True)
    def step():
        optimizer.apply_gradients([(tf.ones_like(v), v) for v in variables])

    step()
    text = step.experimental_get_compiler_ir()(stage="stablehlo")
    assert text.count("stablehlo.power") == 2
    for value in variables:
        np.testing.assert_allclose(value.numpy(), 2.9, 1e-5)


@pytest.mark.parametrize(
    "settings",
    [{"gradient_accumulation_steps": 2}, {"use_ema": True, "ema_overwrite_frequency": 2}],
)
@pytest.mark.parametrize("is_taped", [False, True])
def test_branches_of_an_update_are_a_part_of_its_program(settings, is_taped):
    def trained(function):
        variables = [tf.Variable(np.full(n + 2, 3.0, "f")) for n in range(9)]
        optimizer = tf.keras.optimizers.Adam(0.1, **settings)
        optimizer.build(variables)
        apply = function(lambda: optimizer.apply_gradients([(2.0 * v, v) for v in variables]))
        for _ in range(5):
            settle()
            with counted() as count, tf.GradientTape() if is_taped else contextlib.nullcontext():
                apply()
                values = [v.numpy() for v in variables]
        return count, np.concatenate(values)

    count, plain = trained(lambda function: function)
    if not is_taped:
        assert (count.compiled, count.dispatched) == (0, 1)
    np.testing.assert_allclose(plain, trained(tf.function)[1], 1e-5)


def test_a_step_that_does_not_repeat_is_not_compiled(all_deep, jobs):
    network = Network()
    for rows in range(1, 5):
        network.step(network.x[:rows], network.y[:rows], 0.1).numpy()
    assert jobs == []


def test_a_small_step_is_compiled_at_once(jobs, monkeypatch):
    settle()
    network = Network()
    _, counts = trained(network, 3)
    assert [dispatched for _, dispatched in counts] == [1, 1, 1]
    assert jobs == []


def test_large_variables(all_deep, jobs):
    """Their buffers are given away when the program is compiled."""
    v = tf.Variable(tf.ones([512, 600]))

    @tf.function
    def step():
        y = v
        for _ in range(10):
            y = tf.tanh(y) + 0.5
        v.assign(y)
        return tf.reduce_sum(v)

    want = np.ones([512, 600])
    for _ in range(4):
        for _ in range(10):
            want = np.tanh(want) + 0.5
        np.testing.assert_allclose(step().numpy(), want.sum(), 1e-4)
    assert len(jobs) == 1


def test_checks_fail_as_ever(all_deep):
    x, place = tf.Variable([1.0, 2.0]), tf.Variable(5)

    @tf.function
    def step():
        y = x
        for _ in range(12):
            y = tf.tanh(y)
        return tf.gather(y, place)

    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="indices = 5 is not in"):
            step()
    place.assign(1)
    want = 2.0
    for _ in range(12):
        want = np.tanh(want)
    np.testing.assert_allclose(step().numpy(), want, 1e-5)


def test_an_error_while_compiling_is_raised_by_the_next_call(all_deep, monkeypatch, jobs):
    network = Network()
    trained(network, 1)

    def fail(executable, arguments):
        job = CompilationJob(lambda: 1 / 0, "a test")
        job.run()
        return job

    monkeypatch.setattr(first_runs, "compilation", fail)

    _, counts = trained(network, 2)  # compiles by itself, and would raise what is wrong
    assert counts == [(1, 1), (0, 1)]


def test_an_interrupt_loses_nothing(all_deep, monkeypatch):
    network, other = Network(), Network()

    def interrupted(self, arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Interpreter, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            network.step(network.x, network.y, 0.1).numpy()
    network.variables[0].numpy()  # computed now
    other.step(other.x, other.y, 0.1).numpy()
    for one, another in zip(network.state(), other.state(), strict=True):
        np.testing.assert_allclose(one, another, 1e-5, 1e-6)


def test_other_threads(all_deep, monkeypatch, jobs):
    network = Network()
    step = tf.function(lambda: network.loss(network.x, network.y))
    found = []
    threads = [threading.Thread(target=lambda: found.append(step().numpy())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found.append(step().numpy())
    np.testing.assert_allclose(found, [found[0]] * 5, 1e-6)
    assert len(jobs) <= 1


def test_within_jax(all_deep):
    network = Network()
    step = tf.function(lambda x: network.loss(x, network.y))
    x = tf.constant(network.x)
    want = step(x).numpy()
    got = jax.jit(lambda x: step(x))(x)
    np.testing.assert_allclose(np.asarray(got), want, 1e-5)


@pytest.mark.alone
def test_a_program_in_pieces_that_repeats_is_compiled_in_the_background(monkeypatch, jobs):
    for name in ("MAX_STEPS_LATER_AS_WHOLE", "MAX_STEPS_AS_WHOLE"):  # too long for NumPy, at first
        monkeypatch.setattr(execution_mode, name, 100)
    v, x = tf.Variable(np.ones(1303, "f")), tf.ones([1303])

    @tf.function
    def gradient():
        with tf.GradientTape() as tape:
            y = x
            for _ in range(60):
                y = y + 0.01 * tf.tanh(v * y)
            loss = tf.reduce_sum(y)
        result = tape.gradient(loss, v)
        for _ in range(30):
            result = result - 0.5 * tf.tanh(result)
        return result

    want = gradient().numpy()
    with counted() as count:
        gradient().numpy()
    assert count.dispatched > 1
    monkeypatch.setattr(execution_mode, "MAX_STEPS_LATER_AS_WHOLE", 10_000)
    monkeypatch.setattr(execution_mode, "MAX_STEPS_AS_WHOLE", 10_000)
    monkeypatch.setattr(execution_mode, "MAX_RUNS_IN_A_ROW", 1)
    with held(monkeypatch) as go:
        for _ in range(3):
            with counted() as count:
                np.testing.assert_allclose(gradient().numpy(), want, 1e-5)
            assert count.dispatched > 1
        go.set()
        BACKGROUND_COMPILER.wait()
        for _ in range(2):
            with counted() as count:
                np.testing.assert_allclose(gradient().numpy(), want, 1e-5)
            assert (count.compiled, count.dispatched) == (0, 1)
    assert len(jobs) == 1


def test_the_report_tells_the_seconds_of_each_tier(all_deep):
    report = Report()
    report.start()
    try:
        trained(Network(), 3)
    finally:
        report.stop()
    assert "traced and computed by NumPy before they were compiled" in report.text()


# The thread.


def test_there_is_one_thread_and_it_ends():
    own, names, go = BackgroundCompiler(), [], threading.Event()

    def trace():
        names.append(threading.current_thread().name)
        go.wait(60)
        return jax.jit(jnp.sin).trace(F)

    assert own.submit(CompilationJob(trace, "first"))
    assert own.submit(CompilationJob(trace, "second"))
    go.set()
    own.wait()
    assert names == ["tapefacade compiler"] * 2
    assert not any(t.name == names[0] for t in threading.enumerate() if t is own._thread)
    assert own.submit(CompilationJob(trace, "third"))  # it begins anew
    own.wait()
    assert len(names) == 3


def test_steps_need_not_wait_for_what_traces():
    before, within = sys.getswitchinterval(), []

    def trace():
        within.append(sys.getswitchinterval())
        raise ValueError

    CompilationJob(trace, "a test").run()
    assert within[0] <= SECONDS_OF_TRACING * 1.01
    assert sys.getswitchinterval() == before


@pytest.fixture
def no_pauses(monkeypatch):
    """What another test's Ctrl-C has left is none of this one's."""
    monkeypatch.setattr(garbage_collection, "_PAUSES", {})
    gc.enable()


def test_the_garbage_collector_waits_for_what_traces(no_pauses):
    """Else a step waits while Python looks through everything; other pauses end within this one."""
    within = []

    def trace():
        with no_collection():
            pass
        within.append(gc.isenabled())
        raise ValueError

    CompilationJob(trace, "a test").run()
    assert within == [False]
    assert gc.isenabled()
    gc.disable()
    try:  # what the user has set stays
        CompilationJob(trace, "a test").run()
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize("seconds", [1.0, LONGEST_PAUSE + 1.0])
def test_a_pause_that_never_ended_counts_for_a_minute(seconds, no_pauses):
    """Ctrl-C when it had just begun, and a traceback that somebody keeps."""
    left = no_collection()
    left.__enter__()
    for began in garbage_collection._PAUSES:
        garbage_collection._PAUSES[began] -= seconds
    with no_collection():
        assert not gc.isenabled()
    assert gc.isenabled() == (seconds > LONGEST_PAUSE)
    del left
    assert gc.isenabled()


class Cycle:
    """What only the collector finds."""

    def __init__(self):
        self.own = self


def looked_through_by_itself():
    kept = [[] for _ in range(200_000)]  # the collector begins after 70,000
    return len(kept)


@pytest.fixture
def nothing_frozen(no_pauses):
    """Thaws what the suite has frozen for its own speed; the collector will begin soon."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    gc.freeze()
    gc.collect()  # finds nothing that is old, so that a little that is new counts as much
    gc.unfreeze()
    yield
    gc.freeze()
    gc.set_threshold(*before)


@pytest.mark.parametrize("starts", [True, False])
def test_the_collector_leaves_out_what_is_old_while_a_program_starts(
    starts, nothing_frozen, monkeypatch
):
    monkeypatch.setattr(OLD_OBJECTS, "_end", time.monotonic() + (60.0 if starts else -1.0))
    cycle = Cycle()
    reference = weakref.ref(cycle)
    with no_collection(counts_as_old=True):
        pass
    assert (gc.get_freeze_count() > MOST_IMMORTAL) == starts
    del cycle
    looked_through_by_itself()
    assert (reference() is not None) == starts
    OLD_OBJECTS.add_all()
    gc.collect()  # who asks for it gets it
    assert reference() is None
    assert gc.get_freeze_count() <= MOST_IMMORTAL


def test_the_collector_looks_through_everything_after_the_start(nothing_frozen, monkeypatch):
    monkeypatch.setattr(OLD_OBJECTS, "_end", time.monotonic() + 60.0)
    with no_collection(counts_as_old=True):
        pass
    monkeypatch.setattr(OLD_OBJECTS, "_end", 0.0)
    looked_through_by_itself()
    assert gc.get_freeze_count() <= MOST_IMMORTAL


ADAM_STEPS = """
import gc
import tapefacade as tf
{}
variables = [tf.Variable([float(k)]) for k in range(200)]
optimizer = tf.keras.optimizers.Adam()
def step():
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_sum(v * v) for v in variables])
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss.numpy()
for _ in range(20):
    step()
before = sum(counts["collections"] for counts in gc.get_stats())
for _ in range(20):
    step()
print(sum(counts["collections"] for counts in gc.get_stats()) - before, gc.get_threshold()[0])
"""


@pytest.mark.parametrize(
    ("setting", "fewer", "wanted"), [("", True, None), ("gc.set_threshold(600)", False, 600)]
)
def test_steps_over_many_variables_end_before_the_collector_begins(setting, fewer, wanted):
    """It finds nothing, and takes longer than the rest of the step's Python."""
    command = [sys.executable, "-W", "ignore", "-c", ADAM_STEPS.format(setting)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    collections, number = map(int, done.stdout.split())
    assert (collections <= 2) == fewer
    assert wanted in (None, number)


@pytest.mark.parametrize("is_first", [True, False])
def test_what_the_user_has_frozen_stays_so(is_first, nothing_frozen, monkeypatch):
    monkeypatch.setattr(OLD_OBJECTS, "_end", time.monotonic() + 60.0)
    if not is_first:
        OLD_OBJECTS.add_all()
    gc.freeze()
    before = gc.get_freeze_count()
    with no_collection(counts_as_old=True):
        pass
    gc.collect()
    assert 0 < gc.get_freeze_count() <= before


@pytest.mark.parametrize("ends", [True, False])
def test_a_program_has_run_before_a_step_uses_it(ends):
    """The first run takes longer; a loop that ends for a step's numbers need not for others."""
    runs = []

    def function(x):
        jax.debug.callback(lambda: runs.append(x.shape))
        return jnp.sin(x) if ends else jax.lax.while_loop(lambda y: y < 1.0, lambda y: 2 * y, x)

    job = CompilationJob(lambda: jax.jit(function).trace(np.float32(1)), "a test")
    job.run()
    jax.effects_barrier()
    assert job.is_done
    assert len(runs) == ends


def test_jobs_that_wait_are_bounded_and_left_out_at_the_end(monkeypatch):
    monkeypatch.setattr(background_compilation, "MAX_WAITING", 2)
    own, go = BackgroundCompiler(), threading.Event()
    first = CompilationJob(lambda: (go.wait(60), jax.jit(jnp.sin).trace(F))[1], "first")
    assert own.submit(first)
    while own._current is not first:
        pass
    waiting = [CompilationJob(lambda: 1 / 0, "waiting") for _ in range(2)]
    assert all(map(own.submit, waiting))
    assert not own.submit(CompilationJob(lambda: 1 / 0, "too many"))
    go.set()
    own.end()
    assert all(job.is_done for job in waiting)
    assert not own.submit(CompilationJob(lambda: 1 / 0, "after the end"))


@pytest.mark.parametrize("is_kept", [True, False])
def test_who_waits_at_the_end_is_told_why(is_kept, monkeypatch, caplog):
    monkeypatch.setattr(background_compilation, "SECONDS_BEFORE_MESSAGE_AT_EXIT", 0.0)
    monkeypatch.setattr(background_compilation, "is_kept", lambda: is_kept)
    own, begun, go = BackgroundCompiler(), threading.Event(), threading.Event()

    def trace():
        begun.set()
        go.wait(60)
        return jax.jit(jnp.sin).trace(F)

    assert own.submit(CompilationJob(trace, "it"))
    assert begun.wait(60)
    ending = threading.Thread(target=own.end)
    ending.start()
    while not caplog.records:
        go.wait(0.001)
    go.set()
    ending.join()
    why = "is kept for the next start" if is_kept else "XLA does not interrupt"
    text = f"The program has ended; waiting for the compilation of it, which {why}."
    assert caplog.messages == [text]


def test_settings_of_the_thread_that_asks_hold_in_the_other():
    with jax.default_matmul_precision("bfloat16"):
        job = CompilationJob(
            lambda: found.append(jax.config.jax_default_matmul_precision), "a test"
        )
    found = []
    job.run()
    assert found == ["bfloat16"]


END = """
import os, sys, threading
import tapefacade as tf
from tapefacade._trace import first_runs
first_runs.WEIGHT_OF_DEEP_PROGRAM = 0.0
v = tf.Variable(tf.ones([64, 64]))
@tf.function
def step():
    y = v
    for k in range(40):
        y = tf.tanh(y @ v) + tf.sin(y)
    v.assign(y)
    return tf.reduce_sum(y)
for _ in range(3):
    print(step().numpy(), flush=True)
if "fork" in sys.argv:
    child = os.fork()
    if not child:
        for _ in range(3):
            step().numpy()
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
sys.exit(7)
"""


@pytest.mark.parametrize("switch", ["", "off"])
def test_a_process_ends_while_something_is_compiled(switch):
    environment = {
        **os.environ,
        background_compilation.SWITCH_VARIABLE: switch,
        "TAPEFACADE_COMPILATION_CACHE": "off",
    }
    done = subprocess.run(
        [sys.executable, "-c", END], env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 7, done.stderr
    assert len(done.stdout.split()) == 3
    assert "rror" not in done.stderr


def test_determinism_wants_every_run_computed_alike(all_deep, jobs):
    tf.config.experimental.enable_op_determinism()
    _, counts = trained(Network(), 3)
    assert counts == [(1, 1), (0, 1), (0, 1)]
    assert jobs == []
    assert all(e.call is not None for e in all_deep._found.values())
