"""The workloads. Each is written twice: with TensorFlow's names, and by hand for `jax.jit`.

A maker returns a step: a function without arguments that does the work once and returns what is to
be looked at. The makers named `tf_...` take the module to use, TensorFlow or tapefacade, and
`compiled`, which decorates what `tf.function` may compile and does nothing otherwise; those named
`jax_...` take the same for `jax.jit`.
"""

import dataclasses
from collections.abc import Callable

from control import jax_map, jax_scan, jax_while, tf_map, tf_scan, tf_while
from derivatives import (
    jax_equation,
    jax_jacobian,
    jax_second,
    jax_third,
    tf_equation,
    tf_jacobian,
    tf_second,
    tf_third,
)
from functions import jax_call, tf_call
from looks import jax_looked_at, jax_looked_at_scan, tf_looked_at, tf_looked_at_scan
from loops import jax_loop, tf_loop, tf_taped_loop
from many import HAS_OPTAX, jax_many, optax_many, tf_many
from models import jax_block, jax_cnn, jax_lstm, tf_block, tf_cnn, tf_lstm
from networks import Step
from orders import (
    jax_batch_jacobian,
    jax_hessian,
    jax_maml,
    jax_order,
    tf_batch_jacobian,
    tf_hessian,
    tf_maml,
    tf_order,
)
from pinns import (
    jax_beam,
    jax_beam_forward,
    jax_burgers,
    jax_burgers_forward,
    tf_beam,
    tf_burgers,
)
from training import jax_adam, jax_descent, jax_new_data, tf_adam, tf_descent, tf_new_data


@dataclasses.dataclass
class Workload:
    """A piece of work.

    Attributes:
        name: for `--only`.
        title: for the table.
        tf: makes the step with TensorFlow's names.
        jax: makes the step with JAX's; None where it cannot be written as one `jax.jit` function.
        functions: whether `tf.function` can do it.
        every: whether the result of each step is looked at.
        tolerance: by how much results may differ, relatively.
    """

    name: str
    title: str
    tf: Callable[..., Step]
    jax: Callable[..., Step] | None
    every: bool = True
    functions: bool = True
    tolerance: float = 1e-4


WORKLOADS = (
    Workload("mlp_3x64", "MLP 3x64, batch 32, SGD step", tf_descent(3, 64, 32),
             jax_descent(3, 64, 32)),
    Workload("mlp_8x64", "MLP 8x64, batch 32, SGD step", tf_descent(8, 64, 32),
             jax_descent(8, 64, 32)),
    Workload("mlp_3x512", "MLP 3x512, batch 256, SGD step", tf_descent(3, 512, 256),
             jax_descent(3, 512, 256)),
    Workload("unlooked", "MLP 3x64, loss not looked at", tf_descent(3, 64, 32),
             jax_descent(3, 64, 32), every=False),
    Workload("adam", "MLP 3x64, Adam written on variables", tf_adam, jax_adam, tolerance=1e-3),
    Workload("cnn", "CNN, two convolutions, batch 16, SGD step", tf_cnn, jax_cnn),
    Workload("lstm", "LSTM 32, 20 times, batch 16, SGD step", tf_lstm, jax_lstm),
    Workload("transformer", "transformer block, width 32, 8 x 16, SGD step", tf_block, jax_block),
    Workload("variables", "500 variables of 8 numbers, Adam by hand", tf_many, jax_many,
             tolerance=1e-3),
    *([Workload("variables_optax", "500 variables, JAX's Adam by optax", tf_many, optax_many,
                functions=False, tolerance=1e-3)] if HAS_OPTAX else []),
    *(Workload(f"order_{order}", f"derivative of order {order} of an MLP, 256 points",
               tf_order(order), jax_order(order), tolerance=1e-3) for order in (1, 2, 3, 4)),
    Workload("third", "third derivative, nested tapes", tf_third, jax_third),
    Workload("second", "second derivative of an MLP, 256 points", tf_second, jax_second,
             tolerance=1e-3),
    Workload("equation", "training step on that (PINN)", tf_equation, jax_equation,
             tolerance=1e-3),
    Workload("burgers", "PINN step, Burgers, nested jax.grad", tf_burgers, jax_burgers,
             tolerance=1e-3),
    Workload("burgers_forward", "PINN step, Burgers, nested jax.jvp", tf_burgers,
             jax_burgers_forward, tolerance=1e-3),
    Workload("beam", "PINN step, 4th-order beam, nested jax.grad", tf_beam, jax_beam,
             tolerance=1e-3),
    Workload("beam_forward", "PINN step, 4th-order beam, nested jax.jvp", tf_beam, jax_beam_forward,
             tolerance=1e-3),
    Workload("jacobian", "Jacobian of a function of 32 numbers", tf_jacobian, jax_jacobian),
    Workload("batch_jacobian", "batch_jacobian, 64 x 8 x 8", tf_batch_jacobian,
             jax_batch_jacobian),
    Workload("hessian", "Hessian for 24 numbers", tf_hessian, jax_hessian),
    Workload("maml", "MAML, 4 tasks, one inner step", tf_maml, jax_maml, tolerance=1e-3),
    Workload("new_data", "MLP 3x64 gradient, new batch each step", tf_new_data, jax_new_data),
    Workload("loop", "loop of 10, looked at in each iteration", tf_loop, jax_loop),
    Workload("call", "call with 20 variables and 3 arguments, not looked at", tf_call, jax_call,
             every=False),
    Workload("while", "tf.while_loop of 1,000 iterations", tf_while, jax_while),
    Workload("map", "tf.map_fn over 1,000 rows", tf_map, jax_map),
    Workload("scan", "gradient of a tf.scan of 50 steps", tf_scan, jax_scan),
    Workload("taped_loop", "loop of 10 inside a tape, and its gradient", tf_taped_loop, None),
    Workload("mlp_look_last", "MLP 3x512, loss looked at last", tf_looked_at(False),
             jax_looked_at, functions=False),
    Workload("mlp_look_first", "MLP 3x512, loss looked at before the gradient", tf_looked_at(True),
             jax_looked_at, functions=False),
    Workload("scan_look_last", "RNN by tf.scan, loss looked at last",
             tf_looked_at_scan(False), jax_looked_at_scan, functions=False),
    Workload("scan_look_first", "RNN by tf.scan, loss looked at before the gradient",
             tf_looked_at_scan(True), jax_looked_at_scan, functions=False),
)  # fmt: skip
