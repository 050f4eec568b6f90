"""Networks for processes of their own: trees that never repeat, and one that is large.

As in `once_loops`, a maker is given its package, and nothing but NumPy is imported here.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

TREES, LEAVES, WIDTH = 10, 250, 16  # 249 inner nodes of 4 ops
LAYERS, LARGE_WIDTH, BATCH, RATE, STEPS = 4, 2048, 64, 0.01, 5

Work = Callable[[], Iterator[list[float]]]


def tree_arrays() -> tuple[Any, Any, list[list[tuple[int, int]]]]:
    """Returns the weights, the leaves, and trees: the two that each inner node joins."""
    rng = np.random.default_rng(21)
    weights = (rng.standard_normal((2 * WIDTH, WIDTH)) / np.sqrt(2 * WIDTH)).astype(np.float32)
    leaves = rng.standard_normal((LEAVES, 1, WIDTH)).astype(np.float32)
    trees = []
    for _ in range(TREES):
        free, tree = list(range(LEAVES)), []
        while len(free) > 1:
            a, b = (free.pop(rng.integers(len(free))) for _ in range(2))
            free.append(LEAVES + len(tree))
            tree.append((int(a), int(b)))
        trees.append(tree)
    return weights, leaves, trees


def grown(tree: Any, leaves: Any, join: Callable[[Any, Any], Any]) -> Any:
    """Computes the root of a tree."""
    nodes = list(leaves)
    for a, b in tree:
        nodes.append(join(nodes[a], nodes[b]))
    return nodes[-1]


def tf_trees(tf: Any) -> Work:
    values, leaves, trees = tree_arrays()
    weights, bias = tf.Variable(values), tf.Variable(np.zeros(WIDTH, np.float32))
    leaves = [tf.constant(leaf) for leaf in leaves]

    def join(a: Any, b: Any) -> Any:
        return tf.tanh(tf.concat([a, b], axis=1) @ weights + bias)

    def run() -> Iterator[list[float]]:
        for tree in trees:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(grown(tree, leaves, join)))
            first, second = tape.gradient(loss, [weights, bias])
            sums = [np.abs(gradient.numpy()).sum() for gradient in (first, second)]
            yield [float(number) for number in (loss.numpy(), *sums)]

    return run


def jax_trees(jax: Any, compiled: bool) -> Work:
    jnp = jax.numpy
    values, leaves, trees = jax.tree.map(jnp.asarray, tree_arrays()[:2]) + tree_arrays()[2:]
    parameters = (values, jnp.zeros(WIDTH))
    leaves = list(leaves)

    def run() -> Iterator[list[float]]:
        for tree in trees:

            def loss_of(parameters: Any, leaves: Any, tree: Any = tree) -> Any:
                def join(a: Any, b: Any) -> Any:
                    return jnp.tanh(jnp.concatenate([a, b], 1) @ parameters[0] + parameters[1])

                return jnp.sum(jnp.square(grown(tree, leaves, join)))

            gradient = jax.value_and_grad(loss_of)
            loss, gradients = (jax.jit(gradient) if compiled else gradient)(parameters, leaves)
            sums = [np.abs(np.asarray(gradient)).sum() for gradient in gradients]
            yield [float(number) for number in (loss, *sums)]

    return run


def torch_trees(torch: Any) -> Work:
    values, leaves, trees = tree_arrays()
    weights = torch.tensor(values, requires_grad=True)
    bias = torch.zeros(WIDTH, requires_grad=True)
    leaves = list(torch.tensor(leaves))

    def join(a: Any, b: Any) -> Any:
        return torch.tanh(torch.cat([a, b], 1) @ weights + bias)

    def run() -> Iterator[list[float]]:
        for tree in trees:
            loss = grown(tree, leaves, join).square().sum()
            gradients = torch.autograd.grad(loss, [weights, bias])
            yield [loss.item(), *(g.abs().sum().item() for g in gradients)]

    return run


TREE_NETS: dict[str, Callable[[Any], Work]] = {
    "tapefacade": tf_trees,
    "TF eager": tf_trees,
    "JAX eager": functools.partial(jax_trees, compiled=False),
    "jax.jit": functools.partial(jax_trees, compiled=True),
    "PyTorch eager": torch_trees,
}


def large_arrays() -> tuple[list[Any], Any, Any]:
    """Returns the weights of a network of 16.8 million, a batch and its targets."""
    rng = np.random.default_rng(22)
    weights = [
        rng.standard_normal((LARGE_WIDTH, LARGE_WIDTH), np.float32) / np.float32(LARGE_WIDTH**0.5)
        for _ in range(LAYERS)
    ]
    return weights, *rng.standard_normal((2, BATCH, LARGE_WIDTH), np.float32)


def tf_large(tf: Any, is_function: bool = False) -> Work:
    arrays, x, y = large_arrays()
    weights = [tf.Variable(array) for array in arrays]
    del arrays
    x, y = tf.constant(x), tf.constant(y)

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = x
            for w in weights:
                h = tf.tanh(h @ w)
            loss = tf.reduce_mean(tf.square(h - y))
        for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(RATE * g)
        return loss

    if is_function:
        step = tf.function(step)
    return lambda: ([float(step().numpy())] for _ in range(STEPS))


def jax_large(jax: Any) -> Work:
    """The weights are donated: the new ones take their place."""
    jnp = jax.numpy
    weights, x, y = jax.tree.map(jnp.asarray, large_arrays())

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        for w in weights:
            x = jnp.tanh(x @ w)
        return jnp.mean(jnp.square(x - y))

    @functools.partial(jax.jit, donate_argnums=0)
    def update(weights: Any, x: Any, y: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(weights, x, y)
        return loss, [w - RATE * g for w, g in zip(weights, gradients, strict=True)]

    def run() -> Iterator[list[float]]:
        nonlocal weights
        for _ in range(STEPS):
            loss, weights = update(weights, x, y)
            yield [float(loss)]

    return run


def torch_large(torch: Any) -> Work:
    arrays, x, y = large_arrays()
    weights = [torch.tensor(array, requires_grad=True) for array in arrays]
    del arrays
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD(weights, RATE)

    def step() -> Any:
        h = x
        for w in weights:
            h = torch.tanh(h @ w)
        loss = (h - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return lambda: ([step()] for _ in range(STEPS))


LARGE: dict[str, Callable[[Any], Work]] = {
    "tapefacade": tf_large,
    "its tf.function": functools.partial(tf_large, is_function=True),
    "TF eager": tf_large,
    "TF function": functools.partial(tf_large, is_function=True),
    "jax.jit": jax_large,
    "PyTorch eager": torch_large,
}
