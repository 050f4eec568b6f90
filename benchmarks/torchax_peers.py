"""torchax's contestants: PyTorch's code on JAX's arrays, differentiated and compiled by JAX.

torchax needs a process of its own, since `torch.compile` does not work where it is imported.
"""

from collections.abc import Callable
from typing import Any

import torch

# Overloads for dimensions with names, which PyTorch 2.13 no longer has and torchax 0.0.13 asks for
# while it is imported. Nothing here calls them.
GONE = (
    "all.dimname", "all.dimname_out", "index_add.dimname", "index_copy.dimname",
    "index_copy_.dimname", "index_fill.Dimname_Scalar", "index_fill.Dimname_Tensor",
    "index_fill_.Dimname_Scalar", "index_fill_.Dimname_Tensor", "norm.names_ScalarOpt_dim",
    "norm.names_ScalarOpt_dim_dtype", "norm.names_dtype_out", "norm.names_out",
    "prod.dim_Dimname", "std.correction_names", "std.correction_names_out", "std.names_dim",
    "std.names_out", "std_mean.correction_names", "std_mean.names_dim", "unbind.Dimname",
)  # fmt: skip
for op, overload in (name.split(".") for name in GONE):
    packet = getattr(torch.ops.aten, op)
    if overload not in packet.overloads():
        setattr(packet, overload, getattr(packet, packet.overloads()[0]))

import control  # noqa: E402
import derivatives  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import loops  # noqa: E402
import models  # noqa: E402
import numpy as np  # noqa: E402
import orders  # noqa: E402
import pinns  # noqa: E402
import torch_losses  # noqa: E402
import training  # noqa: E402
from many import adam_update, many_arrays  # noqa: E402
from networks import mlp_arrays  # noqa: E402
from timing import Contestant  # noqa: E402
from torchax.interop import jax_view, torch_view  # noqa: E402


def grad(function: Callable[..., Any]) -> Callable[..., Any]:
    """Differentiates a function of points by `jax.grad`, within PyTorch's code."""
    return torch_view(jax.grad(jax_view(lambda x: function(x).sum())))


def grad_of_loss(error: Callable[..., Any]) -> Callable[..., Any]:
    """Differentiates a loss for a list of parameters."""
    return torch_view(jax.grad(jax_view(error)))


def arrays_of(tree: Any) -> Any:
    """Makes JAX's arrays."""
    return jax.tree.map(jnp.asarray, tree)


def trained(loss_of: Any, parameters: Any, data: Any, rate: float) -> Any:
    """Makes a step of gradient descent."""
    parameters, data = arrays_of((parameters, data))
    loss_of = jax_view(loss_of)

    @jax.jit
    def update(parameters: Any, data: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, *data)
        return loss, jax.tree.map(lambda p, g: p - rate * g, parameters, gradients)

    def step() -> Any:
        nonlocal parameters
        loss, parameters = update(parameters, data)
        return loss

    return step


def trained_by_adam(loss_of: Any, parameters: Any, data: Any) -> Any:
    """Makes a step of Adam, written by hand as for JAX."""
    parameters, data = arrays_of((parameters, data))
    update = jax.jit(adam_update(jax_view(loss_of)))
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state = (parameters, zeros, zeros, jnp.float32(0))

    def step() -> Any:
        nonlocal state
        loss, state = update(state, *data)
        return loss

    return step


def differentiated(name: str) -> Any:
    """Makes the derivatives of functions, which nothing is trained by."""
    if name.startswith("order_"):
        function = jax_view(torch_losses.order(int(name[-1]))(grad))
        arguments = [derivatives.curve_points(), torch_losses.curve()]
    elif name == "jacobian":
        function = jax.jacrev(jax_view(torch_losses.vector))
        arguments = derivatives.vector_arrays()[::-1]
    elif name == "hessian":
        function = jax.hessian(jax_view(torch_losses.scalar))
        arguments = orders.hessian_arrays()[::-1]
    else:
        function = jax.vmap(jax.jacrev(jax_view(torch_losses.field)), (0, None, None))
        weights, points = orders.field_arrays()
        arguments = [points, *weights]
    function, arguments = jax.jit(function), arrays_of(list(arguments))
    return lambda: function(*arguments)


def new_data() -> Any:
    """Makes the gradient of a network on data that is new in every step."""
    weights, biases, _, _ = mlp_arrays(3, 64, 32)
    parameters, data = arrays_of(weights + biases), training.batches()
    gradients_of = jax.jit(jax.value_and_grad(jax_view(torch_losses.mlp)))
    return lambda: gradients_of(parameters, *next(data))


def loop() -> Any:
    """Makes the loop that is looked at in each iteration."""
    first, second, start = arrays_of(loops.loop_arrays())

    def move(x: Any, first: Any, second: Any) -> Any:
        x = x + 0.5 * (torch.tanh(x @ first) @ second)
        return x, torch.sum(x * x)

    move = jax.jit(jax_view(move))

    def step() -> Any:
        x = start
        for _ in range(10):
            x, size = move(x, first, second)
            if size > 100.0:
                x = x * 0.5
        return x

    return step


def scan() -> Any:
    """Makes the gradient of a recurrent network."""
    arguments = arrays_of(control.scan_arrays())
    gradient = jax.jit(jax.grad(jax_view(torch_losses.scan)))
    return lambda: gradient(*arguments)


def maker(name: str) -> Callable[[], Any]:
    """Returns what makes the step of a workload."""
    mlp, rate = torch_losses.mlp_of, training.RATE
    if name.startswith("order_") or name in ("jacobian", "hessian", "batch_jacobian"):
        return lambda: differentiated(name)
    return {
        "mlp_3x64": lambda: trained(*mlp(3, 64, 32), rate),
        "unlooked": lambda: trained(*mlp(3, 64, 32), rate),
        "mlp_8x64": lambda: trained(*mlp(8, 64, 32), rate),
        "mlp_3x512": lambda: trained(*mlp(3, 512, 256), rate),
        "adam": lambda: trained_by_adam(*mlp(3, 64, 32)),
        "variables": lambda: trained_by_adam(
            torch_losses.many, many_arrays()[0], many_arrays()[1:]
        ),
        "cnn": lambda: trained(*torch_losses.cnn_of(), models.RATE),
        "lstm": lambda: trained(*torch_losses.lstm_of(), models.RATE),
        "transformer": lambda: trained(torch_losses.block, *models.block_arrays(), models.RATE),
        "equation": lambda: trained(
            torch_losses.equation(grad), torch_losses.curve(), torch_losses.equation_data(), 1e-4
        ),
        "burgers": lambda: trained(
            torch_losses.burgers(grad), torch_losses.burgers_parameters(), pinns.burgers_data(),
            pinns.RATE,
        ),
        "maml": lambda: trained(
            torch_losses.sines(grad_of_loss), *torch_losses.sines_arrays(), orders.RATE
        ),
        "new_data": new_data,
        "loop": loop,
        "scan": scan,
        "mlp_look_last": lambda: trained(*mlp(3, 512, 256), rate),
        "mlp_look_first": lambda: trained(*mlp(3, 512, 256), rate),
    }[name]  # fmt: skip


def look(result: Any) -> list[Any]:
    """Looks at JAX's arrays, in whatever they are."""
    return [np.asarray(array) for array in jax.tree.leaves(result)]


def contestant(name: str, workload: str, every: bool) -> Contestant:
    """Makes a contestant anew."""
    return Contestant(name, maker(workload)(), look, every)
