"""The losses and functions of the workloads in PyTorch's words.

They take PyTorch's tensors; torchax runs the same code on JAX's arrays. `grad` is what turns a
function of points into its derivative: `torch.autograd.grad`, `torch.func.grad` or `jax.grad`.
"""

import itertools
from collections.abc import Callable
from typing import Any

import derivatives
import models
import numpy as np
import orders
import torch
from networks import curve_arrays, mlp_arrays
from pinns import VISCOSITY, point_network
from torch.nn import functional

Grad = Callable[[Callable[..., Any]], Callable[..., Any]]


def network(parameters: Any, x: Any) -> Any:
    """Tanh after every layer but the last; the weights, then the biases."""
    layers = list(zip(*halves(parameters), strict=True))
    for w, b in layers[:-1]:
        x = torch.tanh(torch.addmm(b, x, w))
    w, b = layers[-1]
    return torch.addmm(b, x, w)


def halves(parameters: Any) -> tuple[Any, Any]:
    """Returns the weights and the biases of a list of both."""
    count = len(parameters) // 2
    return parameters[:count], parameters[count:]


def mlp(parameters: Any, x: Any, y: Any) -> Any:
    return functional.mse_loss(torch.tanh(network(parameters, x)), y)


def mlp_of(layers: int, width: int, batch: int) -> tuple[Any, Any, Any]:
    """Returns the loss, the parameters and the data of a network."""
    weights, biases, x, y = mlp_arrays(layers, width, batch)
    return mlp, weights + biases, (x, y)


def cnn(parameters: Any, images: Any, labels: Any) -> Any:
    first, first_bias, second, second_bias, dense, dense_bias = parameters
    x = functional.max_pool2d(functional.relu(functional.conv2d(images, first, first_bias)), 2)
    x = functional.max_pool2d(functional.relu(functional.conv2d(x, second, second_bias)), 2)
    return functional.cross_entropy(torch.addmm(dense_bias, x.flatten(1), dense), labels)


def cnn_of() -> tuple[Any, Any, Any]:
    """Returns the same network with PyTorch's order of dimensions: channels first."""
    (first, first_bias, second, second_bias, dense, bias), (images, labels) = models.cnn_arrays()
    first, second = (kernel.transpose(3, 2, 0, 1).copy() for kernel in (first, second))
    dense = dense.reshape(5, 5, 16, -1).transpose(2, 0, 1, 3).reshape(400, -1)
    images = images.transpose(0, 3, 1, 2).copy()
    return cnn, [first, first_bias, second, second_bias, dense, bias], (images, labels.astype("l"))


def lstm(parameters: Any, sequences: Any, labels: Any, zeros: Any, no_bias: Any) -> Any:
    kernel, recurrent, bias, dense, dense_bias = parameters
    weights = [kernel, recurrent, bias, no_bias]
    _, h, _ = torch.lstm(sequences, (zeros, zeros), weights, True, 1, 0.0, True, False, False)
    return functional.cross_entropy(torch.addmm(dense_bias, h[0], dense), labels)


def lstm_of() -> tuple[Any, Any, Any]:
    (kernel, recurrent, *others), (sequences, labels) = models.lstm_arrays()
    zeros = np.zeros((1, 16, models.UNITS), np.float32)
    no_bias = np.zeros(4 * models.UNITS, np.float32)  # PyTorch has two
    parameters = [kernel.T.copy(), recurrent.T.copy(), *others]
    return lstm, parameters, (sequences, labels.astype("l"), zeros, no_bias)


def block(parameters: Any, x: Any, y: Any) -> Any:
    mixed, mixed_bias, out, out_bias, w1, b1, w2, b2, scale1, shift1, scale2, shift2 = parameters

    def heads(x: Any) -> Any:
        return x.reshape(8, 16, models.HEADS, 8).transpose(1, 2)

    normed = functional.layer_norm(x, (32,), scale1, shift1, models.EPSILON)
    q, k, v = map(heads, (normed @ mixed + mixed_bias).chunk(3, dim=-1))
    attended = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(8, 16, 32)
    x = x + attended @ out + out_bias
    normed = functional.layer_norm(x, (32,), scale2, shift2, models.EPSILON)
    x = x + functional.gelu(normed @ w1 + b1) @ w2 + b2
    return functional.mse_loss(x, y)


def many(parameters: Any, wanted: Any) -> Any:
    return functional.mse_loss(torch.stack(list(parameters)), wanted)


def order(number: int) -> Callable[[Grad], Callable[..., Any]]:
    """Makes the derivative of a network, given what differentiates."""

    def make(grad: Grad) -> Callable[..., Any]:
        def derivative(points: Any, parameters: Any) -> Any:
            def function(x: Any) -> Any:
                return network(parameters, x)

            for _ in range(number):
                function = grad(function)
            return function(points)

        return derivative

    return make


def curve() -> list[Any]:
    return list(itertools.chain(*curve_arrays(32)))


def equation(grad: Grad) -> Callable[..., Any]:
    """Makes the loss of a differential equation, u'' = -force."""

    def loss(parameters: Any, x: Any, force: Any) -> Any:
        def u(x: Any) -> Any:
            return network(parameters, x)

        value = u(x)
        residual = grad(grad(u))(x) + force
        return residual.square().mean() + value[0, 0].square() + value[-1, 0].square()

    return loss


def equation_data() -> tuple[Any, Any]:
    points = derivatives.curve_points()
    return points, np.pi**2 * np.sin(np.pi * points).astype(np.float32)


def burgers(grad: Grad) -> Callable[..., Any]:
    """Makes the loss of Burgers' equation."""

    def loss(
        parameters: Any, t: Any, x: Any, t0: Any, x0: Any, u0: Any, tb: Any, xb: Any, ub: Any
    ) -> Any:
        def u(t: Any, x: Any) -> Any:
            return network(parameters, torch.cat([t, x], dim=1))

        u_t = grad(lambda t: u(t, x))(t)
        u_x = grad(lambda x: u(t, x))
        residual = u_t + u(t, x) * u_x(x) - VISCOSITY * grad(u_x)(x)
        start, ends = u(t0, x0) - u0, u(tb, xb) - ub
        return residual.square().mean() + start.square().mean() + ends.square().mean()

    return loss


def burgers_parameters() -> list[Any]:
    return list(itertools.chain(*point_network(2)))


def sines(grad_of_loss: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the loss of MAML, given what takes the gradients for a list of parameters."""

    def error(parameters: Any, points: Any) -> Any:
        return functional.mse_loss(network(parameters, points[0]), points[1])

    def loss(parameters: Any, tasks: Any) -> Any:
        total = 0.0
        for task in tasks:
            gradients = grad_of_loss(error)(parameters, task[0])
            pairs = zip(parameters, gradients, strict=True)
            adapted = [p - orders.INNER_RATE * g for p, g in pairs]
            total = total + error(adapted, task[1])
        return total / orders.TASKS

    return loss


def sines_arrays() -> tuple[list[Any], tuple[Any]]:
    weights, biases, tasks = orders.maml_arrays()
    return weights + biases, (tasks,)


def vector(x: Any, matrix: Any) -> Any:
    """The function of the Jacobian."""
    return torch.sin(matrix @ x) * x


def field(x: Any, first: Any, second: Any) -> Any:
    """The function of the batch of Jacobians."""
    return torch.tanh(x @ first) @ second


def scalar(x: Any, matrix: Any) -> Any:
    """The function of the Hessian."""
    return torch.sum(torch.tanh(matrix @ x) * torch.sin(x))


def scan(weights: Any, inputs: Any, state: Any) -> Any:
    """A recurrent network; PyTorch loops in Python."""
    states = []
    for x in inputs:
        state = torch.tanh(state @ weights + x)
        states.append(state)
    return torch.stack(states).square().mean()
