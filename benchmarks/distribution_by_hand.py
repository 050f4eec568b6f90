"""What a wide step of eight replicas costs on one CPU: in JAX by hand, part by part, and ours.

    python benchmarks/distribution_by_hand.py [--rounds N]

Prints a table of README.md. All steps take turns in one process; what counts is the time of the
processor, which other programs disturb less.
"""

import argparse
import statistics
import time

import distribution
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

import tapefacade as tf

REPLICAS = 8
ROWS = WIDTH = 1024
RATE = 0.01
STEPS_OF_TURN = 6
AXIS = "replica"
LARGE = 100_000  # elements, from which on a gradient is divided


def loss_of(weights, x, y):
    h = jnp.tanh(x @ weights[0] + weights[1])
    h = jnp.tanh(h @ weights[2] + weights[3])
    return jnp.sum((h @ weights[4] - y) ** 2) / ROWS


def updated(weights, gradients):
    return [w - RATE * g for w, g in zip(weights, gradients, strict=True)]


def plain(weights, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(weights, x, y)
    return loss, updated(weights, gradients)


def gradients_alone(weights, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(weights, x, y)
    return loss + 0.0 * sum(map(jnp.sum, gradients)), weights


def with_each(weights, x, y):
    loss, gradients = lax.psum(jax.value_and_grad(loss_of)(weights, x, y), AXIS)
    return loss, updated(weights, gradients)


def with_vector(weights, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(weights, x, y)
    summed = lax.psum(jnp.concatenate([g.reshape(-1) for g in gradients]), AXIS)
    ends = np.cumsum([g.size for g in gradients])[:-1]
    parts = [p.reshape(g.shape) for p, g in zip(jnp.split(summed, ends), gradients, strict=True)]
    return lax.psum(loss, AXIS), updated(weights, parts)


def with_parts(weights, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(weights, x, y)
    return lax.psum(loss, AXIS), [
        _part(*pair) if pair[0].size > LARGE else pair[0] - RATE * lax.psum(pair[1], AXIS)
        for pair in zip(weights, gradients, strict=True)
    ]


def _part(weight, gradient):
    """Each replica updates an eighth of a matrix, and all get the whole of it."""
    count = len(weight) // REPLICAS
    own = lax.dynamic_slice_in_dim(weight, lax.axis_index(AXIS) * count, count)
    summed = lax.psum_scatter(gradient, AXIS, tiled=True)
    return lax.all_gather(own - RATE * summed, AXIS, tiled=True)


FORMS = {
    "plain": plain,
    "eight: gradients alone, of an eighth of the rows each": gradients_alone,
    "eight: also the update, each of its own (wrong numbers)": plain,
    "eight: also an all-reduce, of all gradients as they are": with_each,
    "eight: the all-reduce of one vector": with_vector,
    "eight: reduce-scatter of the large matrix, an eighth of its update, all-gather": with_parts,
}


def by_hand(function, mesh):
    """Returns a function that takes a step; with a mesh in eight replicas."""
    random = np.random.default_rng(0)
    features = distribution.FEATURES
    x, y = (random.normal(size=(ROWS, n)).astype("float32") for n in (features, 1))
    shapes = ((features, WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH,), (WIDTH, 1))
    weights = [random.normal(size=s).astype("float32") * 0.05 for s in shapes]
    if mesh is None:
        step = jax.jit(function, donate_argnums=0)
        data, state = jax.device_put((x, y)), [jax.device_put(weights)]
    else:
        same, rows = PartitionSpec(), PartitionSpec(AXIS)
        run = jax.shard_map(
            function, mesh=mesh, in_specs=(same, rows, rows), out_specs=same, check_vma=False
        )
        step = jax.jit(run, donate_argnums=0)
        data = jax.device_put((x, y), NamedSharding(mesh, rows))
        state = [jax.device_put(weights, NamedSharding(mesh, same))]

    def take():
        loss, state[0] = step(state[0], *data)
        return float(loss)

    return take


def ours(strategy):
    train, batch = distribution.made(tf, strategy, ROWS, WIDTH)
    return lambda: float(train(*batch))


def seconds(take, count=STEPS_OF_TURN):
    start = time.process_time()
    for _ in range(count):
        take()
    return (time.process_time() - start) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", REPLICAS)
    mesh = jax.make_mesh((REPLICAS,), (AXIS,))
    steps = {name: by_hand(form, None if name == "plain" else mesh) for name, form in FORMS.items()}
    steps["tapefacade, plain"] = ours(tf.distribute.get_strategy())
    steps["tapefacade, eight"] = ours(tf.distribute.MirroredStrategy())
    for take in steps.values():
        seconds(take, 3)
    times = {name: [] for name in steps}
    for _ in range(rounds):
        for name, take in steps.items():
            times[name].append(seconds(take))
    print("| step | processor time | to plain |\n|---|---|---|")
    for name, found in times.items():
        ratio = statistics.median(a / b for a, b in zip(found, times["plain"], strict=True))
        print(f"| {name} | {1e3 * statistics.median(found):.1f} ms | {ratio:.2f} |")


if __name__ == "__main__":
    main()
