"""What XLA is told about small programs on a CPU, so that it compiles them in half the time.

XLA makes the code of each fused step by MLIR, which takes as long as all the rest of compiling. Its
older way takes little, and gives code that is as fast for a few numbers, but slower for each: an
exponential takes 3 ns longer, an addition 0.3 ns. To run a step takes more than that: 0.25 us in a
loop. So it is chosen where a step computes a few numbers.

Measured on a 2-core x86 machine, CPU time of compiling: the gradient of an ODE's adaptive steps
0.65 -> 0.26 s, an episode under a tape 1.3 -> 0.7 s, one step of a linear model 70 -> 30 ms.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

# By how many nanoseconds an element takes longer, by primitive; what makes no step of its own, or
# is as fast, has 0.
NANOSECONDS = {
    "exp": 2.6, "exp2": 2.6, "expm1": 5.0, "log": 3.5, "log1p": 6.5, "tanh": 2.2, "logistic": 2.9,
    "erf": 1.8, "erfc": 5.0, "erf_inv": 10.0, "lgamma": 20.0, "digamma": 20.0, "sqrt": 1.2,
    "div": 0.8, "integer_pow": 0.8, "cosh": 5.0, "sinh": 5.0, "asinh": 10.0, "acosh": 10.0,
    "atanh": 7.0, "igamma": 100.0, "igammac": 100.0, "regularized_incomplete_beta": 100.0,
    "sin": 0.0, "cos": 0.0, "pow": 0.0, "rem": 0.0, "rsqrt": 0.0, "dot_general": 0.0,
    "reshape": 0.0, "broadcast_in_dim": 0.0, "squeeze": 0.0, "slice": 0.0, "dynamic_slice": 0.0,
    "dynamic_update_slice": 0.0, "gather": 0.0, "copy": 0.0, "transpose": 0.0, "iota": 0.0,
}  # fmt: skip
NANOSECONDS_OF_OTHERS = 0.4
# How much longer a program may take for each of its equations, on the average: a third of the time
# of a fused step, which is made of three to five of them.
MAX_NANOSECONDS = 20.0
FUSION_BY_LLVM = {"xla_cpu_use_fusion_emitters": False}
# Of so few equations, the code is not cut into 32 parts, each of which takes some milliseconds.
MAX_EQUATIONS_IN_TWO = 2000
IN_TWO_PARTS = {"xla_cpu_parallel_codegen_split_count": "2"}
# Where loops lie in loops, the pass that moves out of them what is the same in all iterations takes
# a quarter of XLA's time: a chain of `NoUTurnSampler` 0.65 of 2.6 s. It is left out where what it
# could move is less than a twentieth of such a loop, of whose equations each takes about so long.
NOTHING_MOVED_OUT = {"xla_disable_hlo_passes": "while-loop-invariant-code-motion"}
NANOSECONDS_OF_EQUATION, NANOSECONDS_OF_ADDITION = 60.0, 0.1
MAX_SHARE_MOVED_OUT = 0.05
# What takes no longer than an addition, for each element.
CHEAP = {
    "abs", "add", "and", "argmax", "argmin", "bitcast_convert_type", "broadcast_in_dim", "ceil",
    "clamp", "concatenate", "convert_element_type", "copy", "dynamic_slice", "dynamic_update_slice",
    "eq", "floor", "gather", "ge", "gt", "iota", "is_finite", "le", "lt", "max", "min", "mul", "ne",
    "neg", "not", "or", "pad", "reduce_and", "reduce_max", "reduce_min", "reduce_or", "reduce_sum",
    "reshape", "rev", "round", "select_n", "shift_left", "shift_right_arithmetic",
    "shift_right_logical", "sign", "slice", "square", "squeeze", "stop_gradient", "sub",
    "transpose", "xor",
}  # fmt: skip
NANOSECONDS_OF_FUNCTION = 5.0  # of others that `NANOSECONDS` names, as an exponential
# Its threads would share the steps of a program: handing over a step of a microsecond takes tens of
# them, and more where other processes keep the cores busy.
ONE_AFTER_THE_OTHER = {"xla_cpu_scheduler_type": "CPU_SCHEDULER_TYPE_MEMORY_OPTIMIZED"}
MESSAGES = ("No such compile option", "`compiler_options` can only be passed to top-level")


class _Known:
    """Whether this XLA knows the options."""

    options = True


def options_for(traced: ClosedJaxpr) -> dict[str, Any]:
    """Returns what XLA is told about a program; nothing where it does its best anyway.

    Args:
        traced: the program, as JAX has traced it.
    """
    if jax.default_backend() != "cpu" or not _Known.options:
        return {}
    equations = list(equations_within(traced.jaxpr))
    if sum(map(_nanoseconds, equations)) > MAX_NANOSECONDS * len(equations):
        return {}
    options = FUSION_BY_LLVM | (IN_TWO_PARTS if len(equations) <= MAX_EQUATIONS_IN_TWO else {})
    loops = list(_loops_within(traced.jaxpr))
    if any(depth for depth, _ in loops) and not any(_moves_much(loop) for _, loop in loops):
        options |= NOTHING_MOVED_OUT
    return options


def _loops_within(jaxpr: Jaxpr, depth: int = 0) -> Iterator[tuple[int, JaxprEqn]]:
    """Yields the loops of a program, and in how many others each of them lies."""
    for equation in jaxpr.eqns:
        is_loop = equation.primitive.name in LOOPS
        if is_loop:
            yield depth, equation
        for inner in _programs_in(equation):
            yield from _loops_within(inner, depth + is_loop)


LOOPS = {"while": ("body_jaxpr", "body_nconsts"), "scan": ("jaxpr", "num_consts")}


def _moves_much(loop: JaxprEqn) -> bool:
    """Whether much of a loop is the same in all iterations."""
    name, count = LOOPS[loop.primitive.name]
    body = loop.params[name].jaxpr
    same = set(body.invars[: loop.params[count]])
    carried = body.invars[loop.params[count] :]
    same.update(old for old, new in zip(carried, body.outvars, strict=False) if old is new)
    moved = 0.0
    for equation in body.eqns:
        if all(hasattr(atom, "val") or atom in same for atom in equation.invars):
            same.update(equation.outvars)
            moved += _nanoseconds_if_moved(equation)
    return moved > MAX_SHARE_MOVED_OUT * NANOSECONDS_OF_EQUATION * len(list(equations_within(body)))


def _nanoseconds_if_moved(equation: JaxprEqn) -> float:
    """Returns about how long an equation takes; of one that may take any time, infinity."""
    name = equation.primitive.name
    if name == "jit":
        return sum(map(_nanoseconds_if_moved, equation.params["jaxpr"].jaxpr.eqns))
    if name == "dot_general":  # each sum is as long as one of the operands at most
        sizes = [math.prod(shape_of(atom)) for atom in equation.invars]
        return math.prod(sizes) * NANOSECONDS_OF_ADDITION
    each = NANOSECONDS_OF_ADDITION
    if name not in CHEAP:
        each = NANOSECONDS_OF_FUNCTION + NANOSECONDS.get(name, math.inf)
    atoms = (*equation.invars, *equation.outvars)
    return each * max((math.prod(shape_of(atom)) for atom in atoms), default=0)


def _nanoseconds(equation: JaxprEqn) -> float:
    """Returns by how much an equation takes longer."""
    each = NANOSECONDS.get(equation.primitive.name, NANOSECONDS_OF_OTHERS)
    atoms = (*equation.invars, *equation.outvars) if each else ()
    return each * max((math.prod(shape_of(atom)) for atom in atoms), default=0)


def shape_of(atom: Any) -> tuple[int, ...]:
    """Returns the shape of a variable or constant."""
    return getattr(atom.aval, "shape", ())


def equations_within(jaxpr: Jaxpr) -> Iterator[JaxprEqn]:
    """Yields the equations of a program; in the place of loops and calls those within them."""
    for equation in jaxpr.eqns:
        inner = _programs_in(equation)
        for one in inner:
            yield from equations_within(one)
        if not inner:
            yield equation


def _programs_in(equation: JaxprEqn) -> list[Jaxpr]:
    """Returns what an equation calls, or runs in a loop."""
    values = equation.params.values()
    parts = [part for v in values for part in (v if isinstance(v, tuple | list) else (v,))]
    found = [part for part in parts if isinstance(part, Jaxpr | ClosedJaxpr)]
    return [part.jaxpr if isinstance(part, ClosedJaxpr) else part for part in found]


def falling_back(
    told: Callable[..., Any], plain: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Returns a function that JAX compiles with options, or without them where that must be.

    JAX takes none in a function that it transforms, and an XLA may not know them.

    Args:
        told: the function with options.
        plain: the same without; None if `told` has none.
    """
    if plain is None:
        return told

    def call(*arguments: Any) -> Any:
        try:
            return told(*arguments)
        except (ValueError, jax.errors.JaxRuntimeError) as error:
            if not any(message in str(error) for message in MESSAGES):
                raise
            _Known.options = MESSAGES[0] not in str(error)
        return plain(*arguments)

    return call
