"""What `help()` and completions show of the public functions."""

import inspect
import re
import types

import tapefacade as tf


def public(module, path="tf", seen=None):
    """Yields the path and the object of every public function and class."""
    seen = set() if seen is None else seen
    seen.add(module.__name__)
    for name in dir(module):
        found = getattr(module, name)
        if name.startswith("_"):
            continue
        if isinstance(found, types.ModuleType):
            if found.__name__.startswith("tapefacade.") and found.__name__ not in seen:
                yield from public(found, f"{path}.{name}", seen)
        elif callable(found) and not has_no_signature(found):
            yield f"{path}.{name}", found


def has_no_signature(found):
    """Whether a class is made as Python's own errors are, by protobuf or by absl."""
    return isinstance(found, type) and (
        hasattr(found, "DESCRIPTOR")
        or found.__module__.startswith("absl.")
        or (issubclass(found, TypeError) and "__init__" not in vars(found))
    )


PUBLIC = dict(public(tf))
# What takes any arguments in TensorFlow as well.
FREE = re.compile(
    r"tf[.]compat[.]v1[.]|tf[.](meshgrid|ragged[.]map_flat_values|sparse[.]map_values)$"
    r"|tf[.]experimental[.]numpy[.](broadcast_arrays|string_|unicode_)$"
    r"|tf[.](Operation|experimental[.](Batchable)?ExtensionType)$"
    r"|tf[.]experimental[.]dtensor[.]call_with_layout$"  # as in TensorFlow
)


def test_signatures_are_the_users():
    texts = {path: str(inspect.signature(found)) for path, found in PUBLIC.items()}
    assert len(texts) > 2500
    internal = re.compile(r"Annotated|jaxlib|EagerTensor|-> jax|tapefacade[.]_ops[.]op")
    assert not {path: text for path, text in texts.items() if internal.search(text)}
    free = {path for path, text in texts.items() if "*args: Any, **kwargs" in text}
    assert not {path for path in free if not FREE.match(path)}


def test_tensors_show_as_such():
    assert str(inspect.signature(tf.sinh)) == "(x: TensorLike, name: str | None = None) -> Tensor"
    assert str(inspect.signature(tf.concat)).startswith("(values: Any, axis: Any, name: str")
    parameters = inspect.signature(tf.nn.batch_normalization).parameters
    assert repr(parameters["offset"].annotation) == "TensorLike | None"
    assert str(inspect.signature(tf.constant)).endswith("-> Tensor")


def test_variables_show_their_parameters():
    parameters = inspect.signature(tf.Variable).parameters
    assert list(parameters)[:2] == ["initial_value", "trainable"]
    assert not hasattr(tf.Variable(1.0), "__signature__")


def test_functions_show_those_of_their_python():
    @tf.function
    def scaled(x, factor=2.0, *, bias):
        """Scales."""
        return x * factor + bias

    assert str(inspect.signature(scaled)) == "(x, factor=2.0, *, bias)"
    assert inspect.getdoc(scaled) == "Scales."
