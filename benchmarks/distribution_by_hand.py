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
LARGEST = 2  # the position of the one matrix that is worth dividing
SAME, ROW = PartitionSpec(), PartitionSpec(AXIS)


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
        _part(w, g) if position == LARGEST else w - RATE * lax.psum(g, AXIS)
        for position, (w, g) in enumerate(zip(weights, gradients, strict=True))
    ]


def _part(weight, gradient):
    """Each replica updates an eighth of a matrix, and all get the whole of it."""
    count = len(weight) // REPLICAS
    own = lax.dynamic_slice_in_dim(weight, lax.axis_index(AXIS) * count, count)
    summed = lax.psum_scatter(gradient, AXIS, tiled=True)
    return lax.all_gather(own - RATE * summed, AXIS, tiled=True)


def with_own_rows(weights, x, y):
    """Each replica holds an eighth of the large matrix, and all get the whole of it for a step."""
    whole = list(weights)
    whole[LARGEST] = lax.all_gather(weights[LARGEST], AXIS, tiled=True)
    loss, gradients = jax.value_and_grad(loss_of)(whole, x, y)
    own = lax.psum_scatter(gradients[LARGEST], AXIS, tiled=True)
    loss, gradients = lax.psum((loss, gradients), AXIS)  # the sum that nobody reads is removed
    gradients[LARGEST] = own
    return loss, updated(weights, gradients)


def summed(weights, x, y):
    return lax.psum(jax.value_and_grad(loss_of)(weights, x, y), AXIS)


def on_one(function, mesh, places):
    return jax.jit(function, donate_argnums=0)


def in_replicas(function, mesh, places):
    weights = [place.spec for place in places]
    run = jax.shard_map(
        function,
        mesh=mesh,
        in_specs=(weights, ROW, ROW),
        out_specs=(SAME, weights),
        check_vma=False,
    )
    return jax.jit(run, donate_argnums=0)


def partitioned(function, mesh, places):
    """The program of one device, which XLA's partitioner divides."""
    outputs = NamedSharding(mesh, SAME), places
    return jax.jit(function, donate_argnums=0, out_shardings=outputs)


def updated_once(function, mesh, places):
    """The gradients in replicas, the update on the first device, copied to the others."""
    run = jax.jit(
        jax.shard_map(
            function, mesh=mesh, in_specs=(SAME, ROW, ROW), out_specs=SAME, check_vma=False
        )
    )
    update = jax.jit(updated, donate_argnums=0)

    def step(weights, x, y):
        loss, gradients = run(weights, x, y)
        first = [[v.addressable_data(0) for v in values] for values in (weights, gradients)]
        return loss, jax.device_put(update(*first), places)

    return step


FORMS = {
    "plain": (plain, on_one),
    "eight: gradients alone, of an eighth of the rows each": (gradients_alone, in_replicas),
    "eight: also the update, each of its own (wrong numbers)": (plain, in_replicas),
    "eight: also an all-reduce, of all gradients as they are": (with_each, in_replicas),
    "eight: the all-reduce of one vector": (with_vector, in_replicas),
    "eight: reduce-scatter of the large matrix, an eighth of its update, all-gather": (
        with_parts,
        in_replicas,
    ),
    "eight: the same, with the all-gather before the step": (with_own_rows, in_replicas),
    "eight: one update, copied to the other devices": (summed, updated_once),
    "eight: the plain program, divided by XLA's partitioner": (plain, partitioned),
}


def by_hand(function, how, mesh):
    """Returns a function that takes a step."""
    random = np.random.default_rng(0)
    features = distribution.FEATURES
    x, y = (random.normal(size=(ROWS, n)).astype("float32") for n in (features, 1))
    shapes = ((features, WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH,), (WIDTH, 1))
    weights = [random.normal(size=s).astype("float32") * 0.05 for s in shapes]
    places, rows = [None] * len(weights), None
    if how is not on_one:
        places, rows = [NamedSharding(mesh, SAME)] * len(weights), NamedSharding(mesh, ROW)
    if function is with_own_rows:
        places[LARGEST] = rows
    step = how(function, mesh, places)
    data = jax.device_put((x, y), rows)
    state = [jax.device_put(weights, places)]

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
    steps = {name: by_hand(*form, mesh) for name, form in FORMS.items()}
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
