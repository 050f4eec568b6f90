"""Which TensorFlow symbols that public programs use are there.

    python benchmarks/coverage.py symbols.csv [--missing N]

The table has the columns `symbol`, `files`, `uses` and `exists_in_tf2.21`, one row for each symbol.
"""

import argparse
import csv
import logging
import operator
import pathlib
from collections import defaultdict
from collections.abc import Iterable

import tapefacade

# What a symbol belongs to, by the beginning of its name; the first that fits.
PARTS = {
    "Keras": (
        "tf.keras", "tf.losses", "tf.metrics", "tf.optimizers", "tf.initializers",
        "tf.compat.v1.keras", "tf.compat.v1.train", "tf.compat.v1.losses", "tf.lite",
    ),
    "data, checkpoints, summaries, distribution": (
        "tf.data", "tf.summary", "tf.train", "tf.distribute", "tf.saved_model", "tf.estimator",
        "tf.experimental.dtensor", "tf.compat.v1.data", "tf.compat.v1.distribute", "tf.tpu",
        "tf.compat.v1.compat", "tf.compat.v1.saved_model", "tf.compat.v1.summary",
    ),
    "functions, control flow, modules": (
        "tf.function", "tf.Module", "tf.name_scope", "tf.cond", "tf.case", "tf.switch_case",
        "tf.while_loop", "tf.scan", "tf.map_fn", "tf.foldl", "tf.foldr", "tf.vectorized_map",
        "tf.py_function", "tf.numpy_function", "tf.init_scope", "tf.variable_creator_scope",
        "tf.recompute_grad", "tf.grad_pass_through", "tf.gradients", "tf.hessians",
        "tf.autodiff.ForwardAccumulator", "tf.config.run_functions_eagerly",
        "tf.config.functions_run_eagerly", "tf.config.experimental_run_functions_eagerly",
        "tf.config.experimental_functions_run_eagerly", "tf.Graph", "tf.Operation",
    ),
}  # fmt: skip
OPS, OTHERS = "ops and all else of TensorFlow", "other packages"


def main() -> None:
    """Prints the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--missing", type=int, default=40, help="how many missing symbols to list")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    with arguments.table.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["exists_in_tf2.21"] == "1"]
    report(rows, arguments.missing)


def report(rows: Iterable[dict[str, str]], listed: int) -> None:
    """Prints the shares that are there, by namespace, and what is missing, most used first."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
    missing = []
    for row in rows:
        there, files, uses = exists(row["symbol"]), int(row["files"]), int(row["uses"])
        part = part_of(row["symbol"])
        for name in (f"= {part}", *([namespace(row["symbol"])] if part == OPS else [])):
            one = counts[name]
            for place, weight in ((0, 1), (2, files), (4, uses)):
                one[place] += weight * there
                one[place + 1] += weight
        if part == OPS and not there:
            missing.append((files, uses, row["symbol"]))
    print(f"{'':44} {'symbols':>13} {'files':>13} {'uses':>15}")
    for name, (a, b, c, d, e, f) in sorted(counts.items(), key=lambda item: -item[1][5]):
        shares = "  ".join(f"{x:>5}/{y:<5}" for x, y in ((a, b), (c, d), (e, f)))
        percent = f"{100 * e / f:5.1f} %" if f else ""
        print(f"{name:44} {shares}  {percent}")
    for files, uses, symbol in sorted(missing, reverse=True)[:listed]:
        print(f"missing: {symbol} ({files} files, {uses} uses)")


def exists(symbol: str) -> bool:
    """Tells whether a symbol is there."""
    try:
        operator.attrgetter(symbol.partition(".")[2])(tapefacade)
    except AttributeError:
        return False
    return True


def part_of(symbol: str) -> str:
    """Says what a symbol belongs to."""
    if not symbol.startswith("tf."):
        return OTHERS
    for part, beginnings in PARTS.items():
        if any(symbol == one or symbol.startswith(one + ".") for one in beginnings):
            return part
    return OPS


def namespace(symbol: str) -> str:
    """Returns the namespace of a symbol, two names long."""
    return ".".join(symbol.split(".")[:2]) if symbol.count(".") > 1 else "tf"


if __name__ == "__main__":
    main()
