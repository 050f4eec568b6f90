"""What there is of a name of TensorFlow: whether the package has it, and whether it differs."""

import contextlib
import functools
import importlib
import importlib.util
import inspect
import logging
import operator
import os
import re
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from tapefacade._compat.renamed_functions import public_function
from tapefacade._compat.v1_namespaces import RENAMED
from tapefacade._core.logging import get_logger
from tapefacade._core.missing_names import hint_for, nearest_name, public_names, root_module
from tapefacade._port.keras_alias import BACKEND

THERE, DIFFERENT, MISSING = "there", "different", "missing"
# What a docstring says of differences, up to the end of a sentence: the first kind may change the
# results or the speed of a program, the second is what TensorFlow does not do.
SENTENCE = r" TensorFlow.*?(?:\.(?=\s|$)|(?=\n\s*\n)|$)"
DIFFERENCE = re.compile(rf"Unlike{SENTENCE}", re.DOTALL)
EXTENSION = re.compile(rf"Beyond{SENTENCE}", re.DOTALL)
MESSAGE_NEAREST = "The nearest name is `{}`"
MESSAGE_NOTHING = "There is no name like it"


class NameStatus(NamedTuple):
    """What is known of a name.

    Attributes:
        status: `THERE`, `DIFFERENT` or `MISSING`.
        text: how it differs, or what to write instead. Of what is there, what it does beyond
            TensorFlow, mostly "".
    """

    status: str
    text: str = ""


@functools.lru_cache(maxsize=8192)
def look_up(name: str) -> NameStatus:
    """Finds out what there is of a name.

    What is found is looked into as long as it is a module or a class: of an object, as
    `tf.float32`, no attributes are looked up.

    Args:
        name: a dotted name that begins with `tf` or `keras`.

    Returns:
        What is known of it.

    >>> look_up("tf.math.log").status
    'there'
    >>> look_up("tf.math.logg")
    NameStatus(status='missing', text='The nearest name is `tf.math.log`.')
    """
    with warnings.catch_warnings(), _keras_on_jax(), _notices() as notices:
        warnings.simplefilter("ignore")
        try:
            found = get(name)
        except ImportError as error:  # tf.keras without Keras
            return NameStatus(MISSING, _sentence(str(error)))
        except AttributeError:
            return NameStatus(MISSING, _sentence(_advice(name)))
    if isinstance(found, type) and (advice := vars(found).get("_advice")):
        return NameStatus(MISSING, _sentence(advice))  # for annotations only: it cannot be made
    text = " ".join(notices) or _sentence_of(found, DIFFERENCE)
    return (
        NameStatus(DIFFERENT, text) if text else NameStatus(THERE, _sentence_of(found, EXTENSION))
    )


@contextlib.contextmanager
def _notices() -> Iterator[list[str]]:
    """Collects what names of older releases say when they are asked for."""
    said: list[str] = []

    def keep(record: logging.LogRecord) -> bool:
        said.append(record.getMessage())
        return False

    logger = get_logger()
    logger.addFilter(keep)
    try:
        yield said
    finally:
        logger.removeFilter(keep)


@contextlib.contextmanager
def _keras_on_jax() -> Iterator[None]:
    """Has Keras imported on JAX, if this imports it: another backend might be TensorFlow."""
    before = os.environ.get(BACKEND)
    if "keras" not in sys.modules:
        os.environ[BACKEND] = "jax"
    try:
        yield
    finally:
        os.environ.pop(BACKEND, None)
        if before is not None:
            os.environ[BACKEND] = before


def get(name: str) -> Any:
    """Returns what a dotted name means; of objects no attributes are looked up."""
    first, *others = name.split(".")
    found: Any = root_module()
    if first == "keras":
        _ = found.keras  # which says so if there is none
        found = importlib.import_module("keras")
    for part in others:
        if not isinstance(found, types.ModuleType | type):
            break
        if part in getattr(found, "__annotations__", ()):
            break
        if not hasattr(found, part) and _is_unloaded(found, part):
            break
        found = getattr(found, part)
    return found


def _is_unloaded(found: Any, part: str) -> bool:
    """Tells whether there is a module of Keras that nothing has imported so far."""
    if not getattr(found, "__name__", "").startswith("keras") or not hasattr(found, "__path__"):
        return False
    return importlib.util.find_spec(f"{found.__name__}.{part}") is not None


def _advice(name: str) -> str:
    """Says what to write in the place of a name that is missing."""
    hint = hint_for(f"tf.{name}" if name.startswith("keras.") else name)
    if hint:
        return hint
    if today := name_today(name):
        return f"Write `{today}`"
    names = list(public_names(root_module()))
    if name.startswith(("tf.keras.", "keras.")):
        names = _keras_names(name.partition("keras.")[0] + "keras")
    elif (owner := _owner(name)) is not None:
        names = [f"{owner[0]}.{last}" for last in dir(owner[1]) if not last.startswith("_")]
    nearest = nearest_name(name, names)
    return MESSAGE_NEAREST.format(nearest) if nearest else MESSAGE_NOTHING


def name_today(name: str) -> str | None:
    """Returns what a function of TensorFlow 1 is called today, if nothing but its name has changed.

    Args:
        name: a dotted name that is missing.

    >>> name_today("tf.log"), name_today("tf.set_random_seed"), name_today("tf.placeholder")
    ('tf.math.log', 'tf.random.set_seed', None)
    """
    if not name.startswith("tf.") or name.startswith("tf.compat."):
        return None
    renamed = RENAMED.get(name.removeprefix("tf."))
    if renamed is not None:  # it is a function of its own there
        today = list(inspect.signature(public_function(renamed.path)).parameters)
        is_same = renamed.names == today[: len(renamed.names)]
        return f"tf.{renamed.path}" if is_same and not any(renamed.defaults.values()) else None
    with contextlib.suppress(AttributeError, ImportError):
        older = operator.attrgetter(name.removeprefix("tf."))(root_module().compat.v1)
        return _todays_names().get(id(older)) if callable(older) else None
    return None


@functools.cache
def _todays_names() -> dict[int, str]:
    """Returns the shortest names of functions and classes, by their identities."""
    names: dict[int, str] = {}
    root = root_module()
    paths = [name for name in public_names(root) if not name.startswith(("tf.compat", "tf.raw_"))]
    for path in sorted(paths, key=lambda p: (p.count("."), p)):
        owner = (
            operator.attrgetter(parent)(root) if (parent := path[3:].rpartition(".")[0]) else root
        )
        found = vars(owner).get(path.rpartition(".")[2])
        if callable(found):
            names.setdefault(id(found), path)
    return names


def _owner(name: str) -> tuple[str, type] | None:
    """Returns the class in which a name is missing, if it is one, and its name."""
    path = name.rpartition(".")[0]
    while path:
        with contextlib.suppress(AttributeError):
            found = get(path)
            return (path, found) if isinstance(found, type) else None
        path = path.rpartition(".")[0]
    return None


@functools.lru_cache(maxsize=2)
def _keras_names(root: str) -> list[str]:
    """Lists the names of Keras's public modules."""
    names = []
    waiting = [(root, get(root))]
    seen = {waiting[0][1]}
    while waiting:
        path, module = waiting.pop()
        for name, value in list(vars(module).items()):
            if name.startswith("_") or name == "src":
                continue
            names.append(f"{path}.{name}")
            if isinstance(value, types.ModuleType) and value not in seen:
                seen.add(value)
                waiting.append((f"{path}.{name}", value))
    return names


def _sentence_of(found: Any, kind: re.Pattern[str]) -> str:
    """Returns the sentence of an object's docstring that says how it differs, of a kind."""
    own = found if isinstance(found, type) else type(found)
    text = getattr(found, "__doc__", None)
    if not isinstance(text, str) or isinstance(found, types.ModuleType):
        return ""
    if own is not found and text is own.__doc__:
        return ""  # the docstring of the class of a constant
    sentence = kind.search(inspect.cleandoc(text))
    return " ".join(sentence[0].split()) if sentence else ""


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
