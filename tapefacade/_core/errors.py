"""The exceptions of `tf.errors` and the numbers of their kinds."""

import inspect
import re
import traceback
from typing import Any

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OperatorNotAllowedInGraphError(TypeError):
    """Raised where Python asks for a value that a recording does not have.

    >>> issubclass(OperatorNotAllowedInGraphError, TypeError)
    True
    """


def _beginning_with_a_sentence(message: Any) -> Any:
    """Puts the kernel, which TensorFlow names first, behind the text: programs match on both."""
    kernel = r"(\{\{function_node [^{}]*\}\}) (.+)"
    found = isinstance(message, str) and re.fullmatch(kernel, message, re.DOTALL)
    return found.expand(r"\2\n\1") if found else message


class OpError(Exception):
    """An op that failed; the base of the other exceptions of `tf.errors`.

    Args:
        node_def: TensorFlow's description of the op, or None.
        op: the op, or None; its name and traceback become part of the text.
        message: what went wrong.
        error_code: the number of the kind of error, such as `tf.errors.INVALID_ARGUMENT`.
        *args: at most one dictionary, the `experimental_payloads`.

    Unlike TensorFlow's, its text begins with what went wrong: the name of the kernel follows.

    >>> str(OpError(None, None, "no such file", NOT_FOUND))
    'no such file'
    >>> print(OpError(None, None, "{{function_node __wrapped__Exp}} too large", OUT_OF_RANGE))
    too large
    {{function_node __wrapped__Exp}}
    """

    def __init__(
        self, node_def: Any, op: Any, message: str, error_code: int, *args: dict[str, Any]
    ) -> None:
        # TensorFlow's exceptions have no `args`, so their repr is `OpError()`.
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = _beginning_with_a_sentence(message)
        self._error_code = error_code
        self._experimental_payloads = args[0] if args else {}

    @property
    def message(self) -> str:
        """What went wrong.

        >>> NotFoundError(None, None, "no such file").message
        'no such file'
        """
        return self._message

    @property
    def op(self) -> Any:
        """The op that failed, or None.

        >>> NotFoundError(None, None, "no such file").op
        """
        return self._op

    @property
    def error_code(self) -> int:
        """The number of the kind of error.

        >>> NotFoundError(None, None, "no such file").error_code == NOT_FOUND
        True
        """
        return self._error_code

    @property
    def node_def(self) -> Any:
        """TensorFlow's description of the op, or None.

        >>> NotFoundError(None, None, "no such file").node_def
        """
        return self._node_def

    @property
    def experimental_payloads(self) -> dict[str, Any]:
        """Details that were attached to the error, by name.

        >>> NotFoundError(None, None, "no such file").experimental_payloads
        {}
        """
        return self._experimental_payloads

    def __str__(self) -> str:
        if self._op is None:
            return self._message
        lines = traceback.format_list(self._op.traceback or [])
        heading = f"\n\nOriginal stack trace for {self._op.name!r}:\n"
        return self._message + heading + "".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        # The arguments are read back from the attributes of the same names, as TensorFlow does:
        # user classes with constructors of their own rely on it.
        parameters = list(inspect.signature(type(self).__init__).parameters.values())[1:]
        positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        return type(self), tuple(getattr(self, name) for name in positional)


class _CodedError(OpError):
    """An error whose class decides its code."""

    _code: int

    def __init__(self, node_def: Any, op: Any, message: str, *args: dict[str, Any]) -> None:
        super().__init__(node_def, op, message, self._code, *args)


class CancelledError(_CodedError):
    """The op was stopped by its caller."""

    _code = CANCELLED


class UnknownError(_CodedError):
    """The op failed for a reason that has no kind of its own."""

    _code = UNKNOWN


class InvalidArgumentError(_CodedError):
    """The op was given a shape, a type or a value that it cannot use."""

    _code = INVALID_ARGUMENT


class DeadlineExceededError(_CodedError):
    """The op took longer than it was allowed to."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(_CodedError):
    """Something the op needs, such as a file, does not exist."""

    _code = NOT_FOUND


class AlreadyExistsError(_CodedError):
    """Something the op was to create exists."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(_CodedError):
    """The caller may not do what the op does."""

    _code = PERMISSION_DENIED


class UnauthenticatedError(_CodedError):
    """The caller has not proved who they are."""

    _code = UNAUTHENTICATED


class ResourceExhaustedError(_CodedError):
    """The op ran out of memory or of something else."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(_CodedError):
    """The system is not in a state that allows the op, such as a variable without a value."""

    _code = FAILED_PRECONDITION


class AbortedError(_CodedError):
    """The op was given up because of another one at the same time."""

    _code = ABORTED


class OutOfRangeError(_CodedError):
    """The op went beyond the end, such as of a data set."""

    _code = OUT_OF_RANGE


class UnimplementedError(_CodedError):
    """The op does not exist here in this form."""

    _code = UNIMPLEMENTED


class InternalError(_CodedError):
    """The system broke one of its own rules."""

    _code = INTERNAL


class UnavailableError(_CodedError):
    """Something the op needs cannot be reached at the moment."""

    _code = UNAVAILABLE


class DataLossError(_CodedError):
    """Data was lost or cannot be read any more."""

    _code = DATA_LOSS


for _class in [OpError, OperatorNotAllowedInGraphError, *_CodedError.__subclasses__()]:
    _class.__module__ = "tapefacade.errors"  # where users find them


def text_without_room(shape: str, kind: str) -> str:
    """Returns TensorFlow's text where there is no memory for an array; `kind` "": not known."""
    array = f" with shape[{shape}] and type {kind}" if kind else ""
    host = "/job:localhost/replica:0/task:0/device:CPU:0"
    return f"OOM when allocating tensor{array} on {host} by allocator cpu"


def error_of_program(error: Exception) -> BaseException:
    """Returns what is raised for an error of XLA's, such as that of Ctrl-C in Python it calls."""
    if str(error).rpartition("\n")[2].startswith("KeyboardInterrupt"):
        return KeyboardInterrupt()
    return out_of_memory(error)


def out_of_memory(error: Exception) -> Exception:
    """Returns TensorFlow's error where a device or Python has no memory left; else the error."""
    if not isinstance(error, MemoryError | RuntimeError | ValueError):
        return error
    text = str(error)
    if isinstance(error, MemoryError):
        shape: Any = getattr(error, "shape", ())  # NumPy's errors have both
        dtype = str(getattr(error, "dtype", ""))
        kind = {"float32": "float", "float64": "double"}.get(dtype, dtype)
        text = text_without_room(",".join(map(str, shape)), kind)
    elif not text.startswith(
        # What XLA, and NumPy says of arrays that no machine has memory for.
        ("RESOURCE_EXHAUSTED", "array is too big", "Maximum allowed size exceeded")
    ):
        return error
    return ResourceExhaustedError(None, None, text)
