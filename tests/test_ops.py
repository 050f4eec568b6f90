"""Every row of tests/cases against TensorFlow's stored answers, and the registry against both."""

import dataclasses
import functools
import inspect
import operator
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest
from cases import CASES, SUBJECTS, Case, fingerprint, name
from cases.answer import Answer, ask, is_float, looked_at, normalised, taken_apart
from cases.case import is_array, tensors
from cases.store import load

import tapefacade as tf
from tapefacade._core.registry import FUNCTIONS
from tapefacade._definition.op import REGISTRY

SUBJECT_OF = {id(case): subject for subject, rows in SUBJECTS.items() for case in rows}
COMMAND = "python tests/goldens/generate.py {} (in an environment with TensorFlow)"

# A result of this dtype is not known better than this, whatever the row says.
FLOORS = {"bfloat16": 1.6e-2, "float16": 2e-3, "float8_e5m2": 0.25, "float8_e4m3fn": 0.13}
GRADIENT_LOSS, SECOND_LOSS = 10, 100  # digits that a derivative may lose


@functools.lru_cache(maxsize=64)
def goldens(subject: str) -> tuple[dict[str, Answer], dict[str, str]]:
    return load(subject)


def golden(case: Case) -> Answer:
    """The stored answer to `case`; the row fails if it is not the row that was asked."""
    subject = SUBJECT_OF[id(case)]
    answers, rows = goldens(subject)
    if rows.get(name(case)) != fingerprint(case):
        pytest.fail(
            f"the row {name(case)!r} of tests/cases/{subject.replace('.', '/')}.py was added or "
            "changed: run " + COMMAND.format(subject),
            pytrace=False,
        )
    return answers[name(case)]


@functools.lru_cache(maxsize=4)
def ours(case: Case) -> Answer:
    """Value, gradient and second gradient of one row: recorded together, computed in one look."""
    return ask(tf, case)


def rows(*conditions: Any) -> Any:
    """A parameter `case` over the rows for which `conditions` hold, those of one row together."""
    chosen = [case for case in CASES if all(condition(case) for condition in conditions)]
    return pytest.mark.parametrize("case", chosen, ids=name, scope="module")


def rows_of_each_op(test: Any) -> Any:
    """A parameter `case`: for each op, as opposed to functions of several, its first such row."""
    first: dict[str, Case] = {}
    for case in CASES:
        if has_gradient(case) and case.values and hasattr(FUNCTIONS.get(case.path), "op"):
            first.setdefault(case.path, case)
    return pytest.mark.parametrize("case", list(first.values()), ids=name, scope="module")(test)


def succeeds(case: Case) -> bool:
    return not case.raises


def has_gradient(case: Case) -> bool:
    return case.gradient and not case.raises and any(is_source(v) for v in arrays(case.inputs))


def is_source(value: np.ndarray) -> bool:
    """Says so for floats and complex numbers; the float types of ml_dtypes have the kind "V"."""
    return value.dtype.kind in "fcV"


def is_double(case: Case) -> bool:
    kinds = {v.dtype.name for v in arrays(case.inputs) if is_source(v)}
    return case.numerical and case.values and kinds == {"float64"}


def arrays(inputs: Any) -> Iterator[np.ndarray]:
    for value in inputs:
        if is_array(value):
            yield value
        elif isinstance(value, list | tuple):
            yield from arrays(value)


def assert_close(got: np.ndarray, want: np.ndarray, case: Case, loss: int = 1) -> None:
    assert got.dtype.name == want.dtype.name
    assert got.shape == want.shape
    if not case.values:
        return
    if want.dtype.kind in "biuOS":
        np.testing.assert_array_equal(got, want)
        return
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    rtol = max(case.rtol * loss, FLOORS.get(want.dtype.name, 0.0) * min(loss, 4))
    got, want = got.astype(wide), want.astype(wide)
    finite = np.abs(want[np.isfinite(want)])
    atol = max(case.atol, rtol * finite.max(initial=0.0))  # a sum that cancels
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


def assert_same_gradient(got: Any, want: Any, case: Case, loss: int) -> None:
    assert [g is None for g in got] == [w is None for w in want], "which gradients are None"
    for g, w in zip(got, want, strict=True):
        if w is not None:
            assert_close(g, w, case, loss)


def assert_same_error(got: Any, want: Any) -> None:
    assert got is not None, f"TensorFlow raises {want[0]}: {normalised(want[1])}"
    assert want is not None, f"TensorFlow raises nothing; we raise {got[0]}: {got[1]}"
    assert got[0] == want[0], f"{got[1]}"
    if not normalised(got[1]).startswith(normalised(want[1])):  # we may say more
        assert normalised(got[1]) == normalised(want[1])


@rows(succeeds)
def test_value(case):
    want, got = golden(case), ours(case)
    assert [v.dtype.name for v in got.values] == [v.dtype.name for v in want.values]
    assert got.structure == want.structure
    for g, w in zip(got.values, want.values, strict=True):
        assert_close(g, w, case)


@rows(has_gradient)
def test_gradient(case):
    want, got = golden(case), ours(case)
    if want.gradient_error or got.gradient_error:
        assert_same_error(got.gradient_error, want.gradient_error)
    else:
        assert_same_gradient(got.gradient, want.gradient, case, GRADIENT_LOSS)


@rows(has_gradient)
def test_second_order(case):
    want, got = golden(case), ours(case)
    if want.second_error or got.second_error:
        assert_same_error(got.second_error, want.second_error)
    elif want.second is not None:
        assert_same_gradient(got.second, want.second, case, SECOND_LOSS)


@rows(lambda case: case.raises)
def test_error(case):
    assert_same_error(ours(case).error, golden(case).error)


@rows(lambda case: case.raises)
def test_error_shows_no_exception_from_within(case):
    if golden(case).error[0] == "nothing":
        return  # TensorFlow accepts it
    arguments, _ = tensors(tf, case)
    with pytest.raises(Exception) as raised:  # noqa: PT011, PT012 - `test_error` compares it
        call = operator.attrgetter(case.path)(tf)
        for leaf in taken_apart(tf, call(*arguments, **case.static))[1]:
            looked_at(leaf)
    error = raised.value
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    assert not str(error).startswith("{{")  # a message begins with a sentence


@rows(succeeds)
def test_value_without_deferral(case):
    """Running each op at its call gives what the program of all of them gives."""
    tf.config.run_ops_immediately(True)
    try:
        got = ask(tf, dataclasses.replace(case, gradient=False))
    finally:
        tf.config.run_ops_immediately(False)
    assert got.structure == ours(case).structure
    for g, w in zip(got.values, ours(case).values, strict=True):
        assert_close(g, w, case)


@rows(has_gradient, is_double)
def test_numerical_gradient(case):
    """Central differences in float64, so that a wrong golden and a wrong rule cannot agree."""
    gradient = ours(case).gradient
    if gradient is None or all(g is None for g in gradient):
        return
    if not all(g is None or np.isfinite(g).all() for g in gradient):
        return
    random, step = np.random.default_rng(0), 1e-5
    directions = [random.normal(size=g.shape) if g is not None else 0.0 for g in gradient]
    here, below, above = (summed(moved(case, directions, t)) for t in (0.0, -step, step))
    here, below, above = tf.stack([here, below, above]).numpy()
    forward, backward = (above - here) / step, (here - below) / step
    if not abs(forward - backward) <= 1e-2 * (1 + abs(forward)):
        return  # a kink or a jump: one-sided derivatives differ
    want = sum(np.sum(g * v) for g, v in zip(gradient, directions, strict=True) if g is not None)
    np.testing.assert_allclose((above - below) / (2 * step), want, rtol=1e-5, atol=1e-6)


@rows_of_each_op
def test_inside_jax_jit(case):
    """Under the user's own `jax.jit`, the op is recorded on tracers and becomes part of theirs."""

    def call(sources: list[Any]) -> list[Any]:
        arguments, _ = tensors(tf, replaced(case, sources))
        return taken_apart(tf, operator.attrgetter(case.path)(tf)(*arguments, **case.static))[1]

    with jax.enable_x64(True):
        got = jax.jit(call)(tensors(tf, case)[1])
    for g, w in zip(got, golden(case).values, strict=True):
        assert_close(g.numpy(), w, case)


def moved(case: Case, directions: list[Any], step: float) -> Case:
    """The row with its floating inputs shifted along `directions`."""
    sources = [v for v in arrays(case.inputs) if is_source(v)]
    pairs = zip(sources, directions, strict=True)
    return replaced(case, [np.asarray(v + step * np.asarray(d)) for v, d in pairs])


def replaced(case: Case, sources: list[Any]) -> Case:
    """The row with its floating inputs replaced by `sources`."""
    remaining = iter(sources)

    def replace(value: Any) -> Any:
        if is_array(value):
            return next(remaining) if is_source(value) else value
        if isinstance(value, list | tuple):
            return type(value)(replace(v) for v in value)
        return value

    return dataclasses.replace(case, inputs=tuple(replace(v) for v in case.inputs))


def summed(case: Case) -> Any:
    arguments, _ = tensors(tf, case)
    _, leaves = taken_apart(tf, operator.attrgetter(case.path)(tf)(*arguments, **case.static))
    floats = [v for v in leaves if tf.is_tensor(v) and is_float(v)]
    return tf.add_n([tf.reduce_sum(tf.cast(tf.math.real(v), tf.float64)) for v in floats])


# What of `_ops` is no function of tensors with a value to compare; other tests call it.
ELSEWHERE = {
    "TensorArray", "TensorArraySpec", "audio.decode_wav", "audio.encode_wav",
    "constant_initializer", "fftnd", "ifftnd", "irfftnd", "rfftnd", "math.approx_min_k",
    "nn.approx_min_k", "nn.with_space_to_batch", "signal.fftnd", "signal.ifftnd",
    "nn.ctc_beam_search_decoder", "parallel_stack", "nn.ctc_greedy_decoder", "random.Algorithm",
    "random.experimental.Algorithm", "signal.inverse_stft_window_fn", "signal.irfftnd",
    "signal.rfftnd",
    "experimental.dlpack.from_dlpack", "experimental.dlpack.to_dlpack", "get_static_value",
    "image.ResizeMethod", "is_symbolic_tensor", "ones_initializer", "print",
    "random_normal_initializer", "random_uniform_initializer", "zeros_initializer",
    "compat.v1.nn.conv2d_backprop_filter", "compat.v1.nn.conv2d_backprop_input",
    "compat.v1.nn.conv3d_backprop_filter", "compat.v1.nn.conv3d_backprop_filter_v2",
    "conv2d_backprop_filter_v2", "conv2d_backprop_input_v2", "quantization.dequantize",
    "quantization.quantize", "quantization.quantized_concat",
    *(
        f"{namespace}.{name}"
        for namespace in ("image", "io")
        for name in (
            "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
            "decode_png", "decode_webp", "encode_jpeg", "encode_png", "extract_jpeg_shape",
            "is_jpeg",
        )
    ),
}  # fmt: skip
TEXTS = "".join(
    path.read_text(encoding="utf-8")
    for path in sorted(pathlib.Path(__file__).parent.rglob("*.py"))
    if path.parent.name != "goldens"
)


def test_every_op_has_a_case():
    """Ops with a private name are covered by the public functions that call them."""
    covered = {FUNCTIONS[case.path] for case in CASES if case.path in FUNCTIONS}
    dense = {path for path in public_paths() if is_op(FUNCTIONS[path])}
    assert {path for path in dense if FUNCTIONS[path] not in covered} == set(ELSEWHERE)


def test_every_function_is_called_in_a_test():
    called = set(re.findall(r"\.(\w+)", TEXTS))
    of = {FUNCTIONS[path] for path in public_paths() if path.split(".")[-1] in called}
    of |= {FUNCTIONS[case.path] for case in CASES if case.path in FUNCTIONS}
    assert not sorted(path for path in public_paths() if FUNCTIONS[path] not in of)


def is_op(function: Any) -> bool:
    return function.__module__.startswith("tapefacade._ops.")


def test_every_case_has_an_op():
    assert not sorted({case.path for case in CASES} - set(FUNCTIONS))


def test_ops_are_registered_as_functions():
    assert set(REGISTRY) <= set(FUNCTIONS)
    assert not [path for path, op in REGISTRY.items() if FUNCTIONS[path].op is not op]


def test_every_registered_name_is_public():
    assert not [path for path in public_paths() if found(path) is not FUNCTIONS[path]]


def public_paths() -> list[str]:
    return [path for path in FUNCTIONS if not path.split(".")[-1].startswith("_")]


def found(path: str) -> Any:
    try:
        return operator.attrgetter(path)(tf)
    except AttributeError:
        return None


def test_every_public_op_is_registered():
    public = {
        path: value
        for path, value in members(tf, "")
        if inspect.isfunction(value) and not path.startswith("compat.v1.")  # aliases
    }
    ops = {path for path, v in public.items() if v.__module__.startswith("tapefacade._ops")}
    assert not sorted(path for path in ops if FUNCTIONS.get(path) is not public[path])


def members(module: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """What the namespaces show, by path below `tf`."""
    for key, value in vars(module).items():
        if key.startswith("_"):
            continue
        if inspect.ismodule(value):
            if value.__name__ == f"{module.__name__}.{key}":
                yield from members(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def test_goldens_hold_these_rows_and_no_others():
    stale = [
        subject
        for subject, cases in SUBJECTS.items()
        if goldens(subject)[1] != {name(case): fingerprint(case) for case in cases}
    ]
    assert not stale, "run " + COMMAND.format(" ".join(stale))
