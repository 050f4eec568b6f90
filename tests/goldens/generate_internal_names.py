"""Asks TensorFlow which modules of `tensorflow.python` hold which public names, and stores them.

python tests/goldens/generate_internal_names.py
"""

import os
import pathlib
import sys
import textwrap
import types
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
PACKAGE = pathlib.Path(__file__).parents[2] / "tapefacade"
PATH = PACKAGE / "_port" / "tensorflow_python" / "public_names.txt"
# What libraries do not import, or what belongs to TensorFlow's runtime.
SKIPPED = (
    "autograph.converters", "autograph.operators", "autograph.pyct", "compiler",
    "data.experimental.service", "debug", "distribute.cluster_resolver", "distribute.coordinator",
    "distribute.experimental", "distribute.failure", "feature_column", "keras", "layers",
    "ops.distributions", "ops.gen_", "ops.standard_ops", "profiler", "proto_exports", "tools",
    "tpu", "training.tracking", "user_ops",
)  # fmt: skip
KERAS = ("initializers", "keras", "losses", "metrics", "optimizers")
HEADER = """\
# Which public names the modules of `tensorflow.python` hold, in TensorFlow {}: below the name of a
# module the namespace of `tf`, then its names; `own=public` where the module calls one otherwise.
# Made by tests/goldens/generate_internal_names.py.
"""


def walk(root: Any, prefix: str) -> Iterator[tuple[int, str]]:
    """The identities of all public functions and classes below a namespace, with their names."""
    waiting, seen = [(prefix, root)], set()
    while waiting:
        path, module = waiting.pop(0)
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name in sorted(dir(module)):
            if (name[0] == "_" and name != "__internal__") or (not path and name in KERAS):
                continue
            try:
                value = getattr(module, name)
            except Exception:
                continue  # some need Keras 2
            if type(value) is types.ModuleType or type(value).__name__ == "TFModuleWrapper":
                if "_api" in value.__name__ or value.__name__.startswith("tensorflow.compat"):
                    waiting.append((f"{path}{name}.", value))
            elif value is not None and not isinstance(value, bool | int | str | float):
                yield id(value), f"{path}{name}"


def main() -> None:  # noqa: C901
    import tensorflow as tf
    from tensorflow.python.util import tf_export

    public: dict[int, list[str]] = {}
    for key, name in (*walk(tf, ""), *walk(tf.compat.v1, "compat.v1.")):
        public.setdefault(key, []).append(name)

    def public_name(value: Any) -> str | None:
        names = [n for n in public.get(id(value), ()) if not n.startswith("raw_ops.")]
        if not names:
            return None
        canonical = tf_export.get_canonical_name_for_symbol(value)
        if canonical in names:
            return canonical
        rank = lambda n: ("compat.v" in n, "__internal__" in n, n.count("."), len(n))  # noqa: E731
        return min(names, key=rank)

    lines = []
    for module_name, module in sorted(sys.modules.items()):
        path = module_name.removeprefix("tensorflow.python.")
        if path == module_name or path.startswith(SKIPPED) or type(module) is not types.ModuleType:
            continue
        groups: dict[str, list[str]] = {}
        for own, value in sorted(vars(module).items()):
            if isinstance(value, types.ModuleType) or own.startswith("__"):
                continue
            if found := public_name(value):
                namespace, _, last = found.rpartition(".")
                text = last if last == own else f"{own}={last}"
                groups.setdefault(namespace or "tf", []).append(text)
        if groups:
            lines.append(path)
        for namespace, names in sorted(groups.items()):
            text = f"{namespace}: {' '.join(names)}"
            lines += textwrap.wrap(
                text, 100, initial_indent="  ", subsequent_indent="    ", break_long_words=False,
                break_on_hyphens=False,
            )  # fmt: skip
    PATH.write_text(HEADER.format(tf.__version__) + "\n".join(lines) + "\n")
    print(f"{PATH.name}: {len(lines)} lines")


if __name__ == "__main__":
    main()
