"""What XLA is told about small programs, and what is written such that it runs them at once."""

import jax
import numpy as np
import pytest
from steps import counted

import tapefacade as tf
from tapefacade._trace import compiler_options
from tapefacade._trace.compiler_options import falling_back, options_for
from tapefacade._trace.products_in_blocks import PRODUCTS, blocks_for, product


def traced(function, *shapes):
    return jax.jit(function).trace(*[np.ones(shape, np.float32) for shape in shapes]).jaxpr


def loop(x):
    return jax.lax.fori_loop(0, 5, lambda _, y: jax.numpy.tanh(y) * 0.5 + jax.numpy.exp(-y), x)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="they are those of a CPU")
def test_programs_of_few_numbers_are_compiled_the_short_way():
    assert options_for(traced(loop, ())) == {
        "xla_cpu_use_fusion_emitters": False, "xla_cpu_parallel_codegen_split_count": "2",
    }  # fmt: skip
    assert options_for(traced(lambda x, w: x @ w + 1.0, (1, 64), (64, 8)))
    assert not options_for(traced(loop, (1000,)))  # an exponential would take four times as long
    assert not options_for(traced(lambda x: jax.jit(loop)(x) * 2.0, (1000,)))


def nested(invariant):
    def outer(_, y):
        return jax.lax.while_loop(lambda z: z[0] < 1.0, lambda z: z + invariant(y) * z, y)

    return lambda x: jax.lax.fori_loop(0, 5, outer, x)


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="they are those of a CPU")
@pytest.mark.parametrize(
    ("function", "stays"),
    [
        (loop, False),  # no loop in a loop: it takes no time
        (nested(lambda y: y), True),
        (nested(lambda y: jax.numpy.linalg.cholesky(y[:, None] * y)[0]), False),
        (nested(lambda y: jax.numpy.tile(y, 5000).sum()), False),
        (nested(lambda y: jax.jit(lambda z: (z[:, None] @ z[None]).sum())(y)), True),
    ],
)
def test_what_is_the_same_in_all_iterations_stays_in_them_if_it_is_little(function, stays):
    passes = options_for(traced(function, (3,))).get("xla_disable_hlo_passes", "")
    assert (passes == "while-loop-invariant-code-motion") is stays


def test_a_small_program_runs_within_functions_that_jax_transforms():
    @tf.function
    def f(x):
        return tf.sin(x) * x

    x = np.float32(0.7)
    wanted, slope = np.sin(x) * x, np.cos(x) * x + np.sin(x)
    np.testing.assert_allclose(f(tf.constant(x)), wanted, rtol=1e-6)

    def called(x):
        return f(tf.constant(x))._array()

    np.testing.assert_allclose(jax.jit(called)(x), wanted, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(called)(x), slope, rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(called)(np.full(3, x)), np.full(3, wanted), rtol=1e-6)
    with counted() as count:
        np.testing.assert_allclose(f(tf.constant(x)), wanted, rtol=1e-6)
    assert (count.compiled, count.dispatched) == (0, 1)


def test_an_xla_that_knows_no_such_options_compiles_without(monkeypatch):
    monkeypatch.setattr(compiler_options._Known, "options", True)
    told = jax.jit(lambda x: x * 3.0, compiler_options={"xla_cpu_of_tomorrow": True})
    assert falling_back(told, jax.jit(lambda x: x * 3.0))(np.float32(2.0)) == 6.0
    assert not options_for(traced(loop, ()))


def test_errors_of_a_program_are_its_own():
    def wrong(_):
        raise ValueError("of the program")

    with pytest.raises(ValueError, match="of the program"):
        falling_back(wrong, lambda x: x)(1.0)


@pytest.mark.parametrize(("columns", "dtype"), [(64, "float32"), (6, "float64"), (7, "int32")])
@pytest.mark.parametrize("transposed", [False, True])
def test_products_in_blocks_are_the_same(columns, dtype, transposed):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(3, 32)), rng.normal(size=(32, columns))
    a, b = (3 * a).astype(dtype), (3 * b).astype(dtype)
    given = (a.T, b.T, 0, 1) if transposed else (a, b, 1, 0)
    with PRODUCTS.temporarily(blocks=4), jax.enable_x64(True):
        found = product(*map(jax.numpy.asarray, given[:2]), *given[2:], None)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, a @ b, rtol=1e-5, atol=1e-5)


def test_a_program_is_in_blocks_if_that_makes_it_short():
    def layers(x, w, u):
        return jax.nn.relu(x @ w) @ u

    assert blocks_for(traced(layers, (1, 4), (4, 16), (16, 2))) == 1  # it is short anyway
    assert blocks_for(traced(layers, (1, 4), (4, 128), (128, 2))) in (4, 8)
    assert blocks_for(traced(layers, (1, 400), (400, 1000), (1000, 2))) == 1  # nothing makes it so

    def in_blocks(*arguments):
        with PRODUCTS.temporarily(blocks=8):
            return tf.nn.relu(tf.constant(arguments[0]) @ arguments[1])._array()

    program = jax.jit(in_blocks).lower(np.ones((1, 4), "f"), np.ones((4, 128), "f")).compile()
    assert program.cost_analysis()["flops"] < 400  # 1,152 where it is one product
