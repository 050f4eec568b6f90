"""Functions with the values that their names have now.

TensorFlow runs the Python of a function when a dataset is made. Here it may run again when elements
of other shapes come: by then the variables of a loop around it would have other values.
"""

import dis
import types
from collections.abc import Callable, Iterator
from typing import Any

WRITING = ("STORE_DEREF", "DELETE_DEREF", "STORE_GLOBAL", "DELETE_GLOBAL")


def frozen(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function whose free and global names keep the values that they have now.

    Args:
        function: any callable. One that is no Python function, or that assigns such names, is
            returned as it is.
    """
    if not isinstance(function, types.FunctionType):
        return function
    codes = list(_codes(function.__code__))
    if any(_writes(code) for code in codes):
        return function
    given = function.__globals__
    names = {name for code in codes for name in code.co_names} | {"__builtins__", "__name__"}
    kept = {name: given[name] for name in names if name in given}
    cells = tuple([_copied(cell) for cell in function.__closure__ or ()])
    made = types.FunctionType(
        function.__code__, kept, function.__name__, function.__defaults__, cells
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__dict__.update(function.__dict__)
    return made


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yields the code of a function and of those within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _writes(code: types.CodeType) -> bool:
    """Whether code assigns names that are not its own."""
    return any(
        instruction.opname in WRITING and instruction.argval not in code.co_cellvars
        for instruction in dis.get_instructions(code)
    )


def _copied(cell: types.CellType) -> types.CellType:
    try:
        return types.CellType(cell.cell_contents)
    except ValueError:  # it is empty: the function is defined within what it is called by
        return cell
