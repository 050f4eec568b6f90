"""Lists the public names of TensorFlow with their signatures, and the members of its classes.

python tests/goldens/generate_public_api.py (in an environment with TensorFlow)

A name of a namespace stands below it with "module", "value", or its parameters and their defaults:
of a function its own, of a class those of making an object. `tf.compat` and `tf.raw_ops` are left
out (their names are those of TensorFlow 1 and of kernels), and so is Keras, which is the same
package in both.
"""

import inspect
import json
import operator
import pathlib
import types

from generate_names import is_public

LEFT_OUT = {"tf.compat", "tf.keras", "tf.raw_ops", "tf.losses", "tf.metrics", "tf.initializers"}


def described(value):
    """What a name stands for."""
    if isinstance(value, types.ModuleType):
        return "module"
    if not callable(value):
        return "value"
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "class" if isinstance(value, type) else "function"
    return [written(parameter) for parameter in parameters]


def written(parameter):
    """A parameter with its default, if that is a plain value."""
    name = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    name += parameter.name
    if parameter.default is parameter.empty:
        return name
    default = parameter.default
    if isinstance(default, type) or callable(default):
        default = getattr(default, "__name__", "...")
    plain = isinstance(default, bool | int | float | str | tuple | list | type(None))
    return f"{name}={default!r}" if plain else f"{name}=..."


def signatures(tf, described=described, is_public=is_public):
    """What the names of all namespaces below `tf` stand for."""
    found, waiting, seen = {}, [("tf", tf)], set()
    while waiting:
        path, module = waiting.pop(0)
        if path in LEFT_OUT or id(module) in seen:
            continue
        seen.add(id(module))
        members = {name: getattr(module, name) for name in dir(module) if name[0] != "_"}
        public = {name: value for name, value in members.items() if is_public(value)}
        found[path] = {name: described(value) for name, value in public.items()}
        inner = {n: value for n, value in public.items() if isinstance(value, types.ModuleType)}
        waiting += [(f"{path}.{name}", value) for name, value in inner.items()]
    return found


def members(tf, names):
    """The public members of all public classes: of methods the names of the parameters."""
    found = {}
    for path, held in names.items():
        namespace = operator.attrgetter(path.removeprefix("tf."))(tf) if path != "tf" else tf
        for name in held:
            kind = getattr(namespace, name)
            if isinstance(kind, type) and not kind.__module__.startswith("keras"):
                public = [member for member in dir(kind) if member[0] != "_"]
                found[f"{path}.{name}"] = {member: parameters(kind, member) for member in public}
    return found


def parameters(kind, member):
    """The names of a method's parameters, in one text; None of what is no method."""
    if not callable(getattr(kind, member, None)):
        return None
    try:
        held = inspect.signature(getattr(kind, member)).parameters.values()
    except (TypeError, ValueError):
        return None
    return " ".join(written(parameter).partition("=")[0] for parameter in held)


def main():
    import tensorflow as tf

    found = signatures(tf)
    lines = [f"{json.dumps(path)}: {json.dumps(one)}" for path, one in sorted(found.items())]
    path = pathlib.Path(__file__).parent / "public_api.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} namespaces, {sum(map(len, found.values()))} names")
    held = members(tf, found)
    lines = [f"{json.dumps(path)}: {json.dumps(one)}" for path, one in sorted(held.items())]
    path.with_name("public_members.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} classes, {sum(map(len, held.values()))} members")


if __name__ == "__main__":
    main()
