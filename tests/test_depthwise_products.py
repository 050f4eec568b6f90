"""Depthwise convolutions as sums of shifted products: all their derivatives are those of XLA's."""

import itertools

import jax
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, PartitionSpec

import tapefacade as tf
from tapefacade._ops.nn.depthwise_products import shifted_products
from tapefacade._ops.nn.filter_places import Places

CASES = {
    "plain": Places((5, 6), (3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1), (1, 1)),
    "strides and rates": Places((7, 8), (3, 3), (1, 1), ((1, 1), (0, 1)), (2, 1), (2, 3)),
    "gaps": Places((7,), (3,), (2,), ((1, 2),), (1,), (1,)),
    "negative pads": Places((7, 8), (3, 3), (2, 1), ((-1, 1), (0, -2)), (1, 2), (1, 2)),
    "volume": Places(
        (3, 4, 5), (2, 2, 2), (1, 1, 1), ((1, 1), (0, 0), (0, 0)), (1, 1, 1), (1, 2, 1)),
    "what is left over": Places((8,), (3,), (1,), ((0, 0),), (1,), (4,)),
}  # fmt: skip


@pytest.fixture(params=CASES)
def pair(request):
    """Gives the convolution, the one of XLA, an input, and filters."""
    places, rng = CASES[request.param], np.random.default_rng(2)
    letters = "DHW"[-len(places.sizes) :]

    def of_xla(x, w):
        return lax.conv_general_dilated(
            x, w[..., None, :], places.steps, places.pads, places.gaps, places.rates,
            (f"N{letters}C", f"{letters}IO", f"N{letters}C"), x.shape[-1],
        )  # fmt: skip

    with jax.enable_x64(True):
        yield (
            lambda x, w: shifted_products(x, w, places),
            of_xla,
            rng.normal(size=(2, *places.sizes, 3)),
            rng.normal(size=(*places.window, 3)),
        )


def gradients(function):
    return jax.grad(lambda *arrays: (function(*arrays) ** 3).sum(), (0, 1))


def assert_alike(found, wanted):
    for a, b in zip(*map(jax.tree.leaves, (found, wanted)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_derivatives(pair):
    own, of_xla, *arrays = pair
    assert_alike(own(*arrays), of_xla(*arrays))
    assert_alike(jax.jit(gradients(own))(*arrays), gradients(of_xla)(*arrays))
    wanted = jax.jacfwd(gradients(of_xla), (0, 1))(*arrays)
    assert_alike(jax.jacfwd(gradients(own), (0, 1))(*arrays), wanted)
    assert_alike(jax.jacrev(gradients(own), (0, 1))(*arrays), wanted)


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0), (1, 0), (0, 1)])
def test_mapped(pair, axes):
    own, of_xla, *arrays = pair
    rows = [
        a if axis is None else np.stack([a, -2 * a, a + 1], axis)
        for a, axis in zip(arrays, axes, strict=True)
    ]
    assert_alike(*[jax.vmap(gradients(f), axes)(*rows) for f in (own, of_xla)])


def test_on_each_device_of_a_mesh(pair):
    own, _, *arrays = pair
    mesh = jax.make_mesh((1,), ("rows",), axis_types=(AxisType.Auto,))
    rows, same = PartitionSpec("rows"), PartitionSpec()
    of_all = jax.shard_map(gradients(own), mesh=mesh, in_specs=(rows, same), out_specs=(rows, same))
    assert_alike(of_all(*arrays), gradients(own)(*arrays))


def test_rows_of_a_batch_are_independent():
    """So their Jacobian is one pass for each output of a row, not for each of the batch."""
    x = tf.constant(np.random.default_rng(3).normal(size=(3, 4, 4, 2)).astype("f"))
    w = tf.constant(np.random.default_rng(4).normal(size=(3, 3, 2, 1)).astype("f"))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")
    found, every = tape.batch_jacobian(y, x), tape.jacobian(y, x)
    for row, other in itertools.product(range(3), repeat=2):
        wanted = found[row] if row == other else tf.zeros_like(found[row])
        np.testing.assert_allclose(every[row, ..., other, :, :, :], wanted, rtol=1e-6, atol=1e-6)
