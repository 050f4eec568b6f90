"""Lists the public names of TensorFlow with their parameters, as JSON.

python tests/goldens/generate_names.py (in an environment with TensorFlow)

A name of a namespace stands below it with "module", "class", "value", or, of a function, the names
of its parameters. `tf.compat` is left out, and so is Keras, which is the same package in both; the
names of `tf.compat.v1` are a list of their own, without those that have the same name in `tf`.
"""

import inspect
import json
import os
import pathlib
import types

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
LEFT_OUT = {"tf.compat", "tf.keras"}
OF_KERAS = {"keras", "layers", "rnn_cell"}  # older ones, which cannot be looked into


def described(value):
    """What a name stands for."""
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "class"
    if not callable(value):
        return "value"
    try:
        return [parameter.name for parameter in inspect.signature(value).parameters.values()]
    except (TypeError, ValueError):
        return "function"


def is_public(value):
    """Whether it is no module that TensorFlow's files merely import."""
    if not isinstance(value, types.ModuleType):
        return True
    return value.__name__.startswith(("tensorflow._api.v2.", "tensorflow.experimental", "keras"))


def names(tf):
    """The names of all namespaces below `tf`."""
    found, waiting, seen = {}, [("tf", tf)], set()
    while waiting:
        path, module = waiting.pop(0)
        if path in LEFT_OUT or id(module) in seen:
            continue
        seen.add(id(module))
        members = {name: getattr(module, name) for name in dir(module) if name[0] != "_"}
        public = {name: value for name, value in members.items() if is_public(value)}
        found[path] = {name: described(value) for name, value in public.items()}
        waiting += [
            (f"{path}.{name}", value)
            for name, value in public.items()
            if isinstance(value, types.ModuleType)
        ]
    return found


def older_names(tf, found):
    """The names of `tf.compat.v1` and below that the same namespace of `tf` lacks."""
    older = {}
    spaces = {name: value for name, value in vars(tf.compat.v1).items() if name not in OF_KERAS}
    for path, module in [("", tf.compat.v1), *spaces.items()]:
        if isinstance(module, types.ModuleType) and path[:1] != "_":
            members = {name for name in dir(module) if name[0] != "_"} - OF_KERAS
            members = {name for name in members if is_public(getattr(module, name))}
            inner = f".{path}" if path else ""
            older[f"tf.compat.v1{inner}"] = sorted(members - set(found.get(f"tf{inner}", ())))
    return older


def main():
    import tensorflow as tf

    lines = [f"{json.dumps(path)}: {json.dumps(one)}" for path, one in sorted(names(tf).items())]
    path = pathlib.Path(__file__).parent / "names.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    older = older_names(tf, names(tf))
    lines = [f"{json.dumps(path)}: {json.dumps(one)}" for path, one in sorted(older.items()) if one]
    path.with_name("names_v1.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
