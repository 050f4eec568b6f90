"""Tracebacks as users want to read them: their own lines, and one of ours.

Functions that users call are decorated by `shortening`, as `@function` does for those it registers.
Those that are called very often end with

    except Exception as error:
        shorten(error)
        raise

instead, which costs nothing where nothing is raised. What Python adds then is the line of that
function.
"""

import functools
import os
import sys
import types
from collections.abc import Callable
from typing import Any, TypeVar

from tapefacade._core.errors import out_of_memory

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
OWN_SCRIPTS = os.path.join(PACKAGE, "demo") + os.sep
# Files that are left out beside the package's: what its functions are made of, and libraries that
# it calls.
FOREIGN = tuple(
    os.sep.join(["", *parts, ""])
    for parts in (("keras", "src"), ("jax", "_src"), ("jax", "experimental"))
)
SITE_PACKAGES = f"{os.sep}site-packages{os.sep}"
STANDARD = ("contextlib.py", "functools.py", os.path.join("importlib", "__init__.py"))
# What tells which error is raised in the place of another one.
IN_PLACE: list[Callable[[Exception], Exception]] = []
# What JAX adds where an error has passed one of its functions, and what is of no use here.
JAX_NOTE = "JAX has removed its internal frames"


def _out_of_memory(error: Exception) -> Exception:
    """Returns TensorFlow's error where there was no memory for us; the user's own stays."""
    if not isinstance(error, MemoryError | RuntimeError | ValueError):
        return error
    at, is_ours = error.__traceback__, False
    while at is not None:
        path = at.tb_frame.f_code.co_filename
        # Libraries that are called do as their callers do.
        is_ours = is_own(path) or (is_ours and SITE_PACKAGES in path)
        at = at.tb_next
    return out_of_memory(error) if is_ours else error


IN_PLACE.append(_out_of_memory)


class Filtering:
    """Whether lines are left out."""

    on = True


def is_own(path: str) -> bool:
    """Whether a file is one whose lines tell users nothing."""
    if path.startswith(PACKAGE):
        return not path.startswith(OWN_SCRIPTS)
    if path == "<string>" or path.startswith("<frozen importlib") or path.endswith(STANDARD):
        return True
    return any(part in path for part in FOREIGN)


def users_frames(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """Returns a traceback of the lines of users, and at its end the function that they called."""
    frames = []
    while traceback is not None:
        own = is_own(traceback.tb_frame.f_code.co_filename)
        if not (own and frames and frames[-1][0]):  # of several the first
            frames.append((own, traceback))
        traceback = traceback.tb_next
    found = None
    for place, (own, one) in reversed(list(enumerate(frames))):
        if not own or place == len(frames) - 1:
            found = types.TracebackType(found, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return found


def users_lines(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """Returns a traceback of the lines of users alone, or all of it where none is left out."""
    if traceback is None or not Filtering.on:
        return traceback
    rest = users_lines(traceback.tb_next)
    if is_own(traceback.tb_frame.f_code.co_filename):
        return rest
    return types.TracebackType(rest, traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno)


def shorten(error: Exception) -> None:
    """Takes our lines out of the traceback of an error, and hides errors that led to it within.

    Args:
        error: the error, which is raised again.

    Raises:
        Exception: another one, where TensorFlow raises that in its place.
    """
    for in_place in IN_PLACE:
        found = in_place(error)
        if found is not error:
            try:
                raise found.with_traceback(users_lines(error.__traceback__)) from None
            finally:
                del found  # its traceback has this frame, which would keep it, and the users'
    if Filtering.on:
        error.__traceback__ = users_frames(error.__traceback__)
        hide_context(error)
        notes = getattr(error, "__notes__", [])
        notes[:] = [note for note in notes if JAX_NOTE not in note]


def hide_context(error: BaseException) -> None:
    """Hides the exception that an error was raised in the handling of, if we have handled it."""
    context = error.__context__
    if error.__cause__ is not None or context is None or not _is_internal(context):
        return
    # Behind it may be what a library has handled for us, whose frames have ended by now.
    while context is not None and (_is_internal(context) or not _is_handled_now(context)):
        context = context.__context__
    error.__context__ = context  # the user's, if we were called in an `except`
    error.__suppress_context__ = context is None


def _is_internal(error: BaseException) -> bool:
    # The first line of its traceback is that of the function that has caught it.
    traceback = error.__traceback__
    return traceback is None or is_own(traceback.tb_frame.f_code.co_filename)


def _is_handled_now(error: BaseException) -> bool:
    """Whether the frame that has caught an exception is one of those that have called us."""
    frame = sys._getframe(1)
    caught = error.__traceback__ and error.__traceback__.tb_frame
    while frame is not None and frame is not caught:
        frame = frame.f_back
    return frame is not None


def shortening(function: F, left_open: Callable[[Exception], Any] = lambda _: None) -> F:
    """Decorates a function such that tracebacks show it as one line.

    Args:
        function: the function.
        left_open: for some errors returns what the function gives in the place of raising them.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:  # of the function, whatever it raises
            result = left_open(error)
            if result is not None:
                return result
            shorten(error)
            raise

    named: Any = call
    # The one line names what the user has called.
    named.__code__ = named.__code__.replace(co_name=getattr(function, "__name__", "call"))
    return named


def with_short_tracebacks(
    cls: C, left_open: Callable[[Exception], Any] = lambda _: None, raising: tuple[str, ...] = ()
) -> C:
    """Decorates a class such that tracebacks show each method that users call as one line.

    Args:
        cls: the class.
        left_open: for some errors returns what a method gives in the place of raising them.
        raising: how the names begin of methods that raise them all the same.
    """
    for name, member in list(vars(cls).items()):
        if name[0] == "_" and name not in ("__init__", "__call__", "__getitem__"):
            continue
        is_bound = isinstance(member, staticmethod | classmethod)
        function: Any = member.__func__ if is_bound else member
        # What is called very often does it itself.
        if isinstance(function, types.FunctionType) and "shorten" not in function.__code__.co_names:
            raises = name.startswith(raising)
            short = shortening(function) if raises else shortening(function, left_open)
            setattr(cls, name, type(member)(short) if is_bound else short)
    return cls
