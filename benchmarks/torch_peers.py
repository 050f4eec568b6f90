"""PyTorch's contestants, eager and by `torch.compile`.

A step of training computes its loss, `backward`, and the step of `torch.optim`'s optimizer; the
compiled ones compile the loss with its gradient, and leave the optimizer, which works on all
parameters at once, as it is. Derivatives within a
loss are `torch.autograd.grad` with `create_graph`, and `torch.func.grad` where they are compiled,
because `torch.compile` has no second derivatives.
"""

import os
from collections.abc import Callable
from typing import Any

import control
import derivatives
import loops
import models
import orders
import pinns
import torch
import torch_losses
import training
from many import many_arrays
from networks import mlp_arrays
from timing import Contestant

torch.set_num_threads(os.cpu_count() or 1)
DEVICE = "cuda" if torch.cuda.is_available() and os.environ.get("JAX_PLATFORMS") != "cpu" else "cpu"
Compiled = Callable[[Any], Any]


def tensors(arrays: Any, trained: bool = False) -> Any:
    """Makes tensors of arrays in lists and tuples."""
    if isinstance(arrays, list | tuple):
        return [tensors(array, trained) for array in arrays]
    return torch.tensor(arrays, device=DEVICE, requires_grad=trained)


def grad(function: Callable[..., Any]) -> Callable[..., Any]:
    """Differentiates a function of points by autograd."""

    def derivative(x: Any) -> Any:
        x = x if x.requires_grad else x.detach().requires_grad_()
        return torch.autograd.grad(function(x).sum(), x, create_graph=True)[0]

    return derivative


def grad_compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Differentiates it by `torch.func`."""
    return torch.func.grad(lambda x: function(x).sum())


def grad_of_loss(error: Callable[..., Any]) -> Callable[..., Any]:
    """Differentiates a loss for a list of parameters by autograd."""

    def gradients(parameters: Any, *data: Any) -> Any:
        return torch.autograd.grad(error(parameters, *data), parameters, create_graph=True)

    return gradients


def trained(
    loss_of: Any, arrays: Any, data: Any, rate: float, compiled: Compiled, adam: bool = False
) -> Any:
    """Makes a step of training."""
    parameters, data = tensors(arrays, trained=True), tensors(data)
    if adam:
        betas = (training.BETA1, training.BETA2)
        optimizer: Any = torch.optim.Adam(parameters, rate, betas, training.EPSILON)
    else:
        optimizer = torch.optim.SGD(parameters, rate)
    loss_of = compiled(loss_of)

    def step() -> Any:
        optimizer.zero_grad()
        loss = loss_of(parameters, *data)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def differentiated(name: str, compiled: Compiled) -> Any:
    """Makes the derivatives of functions, which nothing is trained by."""
    if name.startswith("order_"):
        points, parameters = derivatives.curve_points(), torch_losses.curve()
        how = grad if compiled is as_it_is else grad_compiled
        function = torch_losses.order(int(name[-1]))(how)
        arguments = [tensors(points), tensors(parameters)]
    elif name == "jacobian":
        function = torch.func.jacrev(torch_losses.vector)
        arguments = tensors(derivatives.vector_arrays()[::-1])
    elif name == "hessian":
        function = torch.func.hessian(torch_losses.scalar)
        arguments = tensors(orders.hessian_arrays()[::-1])
    else:
        function = torch.func.vmap(torch.func.jacrev(torch_losses.field), (0, None, None))
        weights, points = orders.field_arrays()
        arguments = tensors([points, *weights])
    function = compiled(function)
    return lambda: function(*arguments)


def new_data(compiled: Compiled) -> Any:
    """Makes the gradient of a network on data that is new in every step."""
    weights, biases, _, _ = mlp_arrays(3, 64, 32)
    parameters, data = tensors(weights + biases, trained=True), training.batches()
    loss_of = compiled(torch_losses.mlp)

    def step() -> Any:
        loss = loss_of(parameters, *tensors(next(data)))
        return loss.detach(), *torch.autograd.grad(loss, parameters)

    return step


def loop(compiled: Compiled) -> Any:
    """Makes the loop that is looked at in each iteration."""
    first, second, start = tensors(loops.loop_arrays())

    @compiled
    def move(x: Any) -> Any:
        x = x + 0.5 * (torch.tanh(x @ first) @ second)
        return x, torch.sum(x * x)

    def step() -> Any:
        x = start
        for _ in range(10):
            x, size = move(x)
            if size > 100.0:
                x = x * 0.5
        return x

    return step


def scan(compiled: Compiled) -> Any:
    """Makes the gradient of a recurrent network."""
    weights, inputs, state = control.scan_arrays()
    weights, loss_of = tensors(weights, trained=True), compiled(torch_losses.scan)
    inputs, state = tensors(inputs), tensors(state)
    return lambda: torch.autograd.grad(loss_of(weights, inputs, state), weights)


def looked_at(first: bool, compiled: Compiled) -> Any:
    """Makes the step that looks at its loss first or last."""
    loss_of, arrays, data = torch_losses.mlp_of(3, 512, 256)
    parameters, data = tensors(arrays, trained=True), tensors(data)
    optimizer = torch.optim.SGD(parameters, training.RATE)
    loss_of = compiled(loss_of)

    def step() -> Any:
        optimizer.zero_grad()
        loss = loss_of(parameters, *data)
        if first:
            loss.item()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def as_it_is(function: Any) -> Any:
    """Compiles nothing."""
    return function


def maker(name: str, compiled: Compiled) -> Callable[[], Any]:
    """Returns what makes the step of a workload."""
    how = grad if compiled is as_it_is else grad_compiled
    inner = grad_of_loss if compiled is as_it_is else torch.func.grad
    mlp, rate = torch_losses.mlp_of, training.RATE
    if name.startswith("order_") or name in ("jacobian", "hessian", "batch_jacobian"):
        return lambda: differentiated(name, compiled)
    return {
        "mlp_3x64": lambda: trained(*mlp(3, 64, 32), rate, compiled),
        "unlooked": lambda: trained(*mlp(3, 64, 32), rate, compiled),
        "mlp_8x64": lambda: trained(*mlp(8, 64, 32), rate, compiled),
        "mlp_3x512": lambda: trained(*mlp(3, 512, 256), rate, compiled),
        "adam": lambda: trained(*mlp(3, 64, 32), rate, compiled, adam=True),
        "variables": lambda: trained(
            torch_losses.many, many_arrays()[0], many_arrays()[1:], rate, compiled, adam=True
        ),
        "cnn": lambda: trained(*torch_losses.cnn_of(), models.RATE, compiled),
        "lstm": lambda: trained(*torch_losses.lstm_of(), models.RATE, compiled),
        "transformer": lambda: trained(
            torch_losses.block, *models.block_arrays(), models.RATE, compiled
        ),
        "equation": lambda: trained(
            torch_losses.equation(how), torch_losses.curve(), torch_losses.equation_data(), 1e-4,
            compiled,
        ),
        "burgers": lambda: trained(
            torch_losses.burgers(how), torch_losses.burgers_parameters(), pinns.burgers_data(),
            pinns.RATE, compiled,
        ),
        "maml": lambda: trained(
            torch_losses.sines(inner), *torch_losses.sines_arrays(), orders.RATE, compiled
        ),
        "new_data": lambda: new_data(compiled),
        "loop": lambda: loop(compiled),
        "scan": lambda: scan(compiled),
        "mlp_look_last": lambda: looked_at(False, compiled),
        "mlp_look_first": lambda: looked_at(True, compiled),
    }[name]  # fmt: skip


def look(result: Any) -> list[Any]:
    """Looks at a tensor, or at tensors in tuples and lists."""
    if isinstance(result, list | tuple):
        return [array for item in result for array in look(item)]
    return [result.detach().cpu().numpy()]


def contestant(name: str, workload: str, every: bool) -> Contestant:
    """Makes a contestant anew."""
    torch.compiler.reset()  # what was compiled for another workload does not count against this one
    compiled = torch.compile if name == "torch.compile" else as_it_is
    return Contestant(name, maker(workload, compiled)(), look, every)
