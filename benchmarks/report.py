"""The results as tables.

    python benchmarks/report.py benchmarks/results.json [benchmarks/README.md]

prints those of a stored run, or puts them between the two marks of a page.
"""

import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import sys
import textwrap
import tomllib
from collections.abc import Sequence
from typing import Any

import dispatch
import jax

PROJECT = pathlib.Path(__file__).parent.parent / "pyproject.toml"
PACKAGES = (
    "jax", "jaxlib", "numpy", "tensorflow", "tensorflow-cpu", "keras", "torch", "torchax", "optax"
)  # fmt: skip
MARKS = ("<!-- tables -->\n", "<!-- end of tables -->\n")
OWN = ("tapefacade", "its tf.function")
NAMES = (
    *OWN, "TF eager", "TF function", "TF function, XLA", "JAX eager", "jax.jit", "PyTorch eager",
    "torch.compile", "torchax", "Keras on JAX, fit",
)  # fmt: skip


def about() -> dict[str, Any]:
    """Returns the date, the machine and the versions; nothing that names a person or a path."""
    own = tomllib.loads(PROJECT.read_text())["project"]["version"]
    versions = {"python": platform.python_version(), "tapefacade": own}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "jax_device": jax.devices()[0].device_kind,
            "load_before": round(os.getloadavg()[0], 1),
        },
        "versions": versions,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a Markdown table whose source is aligned: words left, numbers right."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        first, *rest = (
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join([first, *rest])} |"

    rule = "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths))
    return "\n".join([line(header), f"|{rule}|", *map(line, rows)])


def time_text(microseconds: float) -> str:
    """Returns a time with three digits and its unit."""
    if microseconds >= 10_000:
        return f"{microseconds / 1000:.1f} ms"
    if microseconds >= 1000:
        return f"{microseconds / 1000:.2f} ms"
    return f"{microseconds:.0f} us"


def names_in(results: dict[str, Any]) -> list[str]:
    """Returns the contestants that took part in any workload, in their order."""
    return [name for name in NAMES if any(name in r["contestants"] for r in results.values())]


def workload_tables(results: dict[str, Any]) -> str:
    """Returns the times of the workloads, tapefacade's divided by the others', who was left out."""
    names = names_in(results)
    others = [name for name in names if name not in OWN]
    compiled = [name for name in others if name not in ("TF eager", "JAX eager", "PyTorch eager")]
    times, ratios = [], []
    for result in results.values():
        found = result["contestants"]
        medians = {name: found[name]["median_us"] for name in found}
        times.append([
            result["title"], *(time_text(medians[n]) if n in found else "" for n in names)
        ])  # fmt: skip
        own = medians.get(OWN[1])
        ratios.append([
            result["title"],
            *(f"{found[n]['ratio']:.2g}" if n in found else "" for n in others),
            *(f"{own / medians[n]:.2g}" if own and n in found else "" for n in compiled),
        ])  # fmt: skip
    header = [*(f"/ {name}" for name in others), *(f"its function / {name}" for name in compiled)]
    return "\n\n".join([
        table(["one step", *names], times),
        "tapefacade's time divided by the others', and its function's:",
        table(["one step", *header], ratios),
        *left_out_lines(results),
    ])  # fmt: skip


def left_out_lines(results: dict[str, Any]) -> list[str]:
    """Returns who did not take part although it was there, and why."""
    lines = [
        f"- {result['title']}: {name} ({reason})"
        for result in results.values()
        for name, reason in result.get("left_out", {}).items()
    ]
    return ["Left out:", "\n".join(lines)] if lines else []


def once_table(results: dict[str, Any]) -> str:
    """Returns the seconds and the memory of what is done once, in processes of their own."""
    rows = []
    for result in results.values():
        own = result["contestants"].get(OWN[0])
        for name, found in result["contestants"].items():
            count, parts, again = result["count"], found["parts"], found.get("again")
            ratio = own and own["first"] / own["parts"] * parts / found["first"]
            peak = found.get("peak_mib")  # not in runs of which it was not measured
            rows.append([
                f"{result['title']}: {name}",
                f"{found['first']:.2f} s" + ("" if parts == count else f" for {parts} of {count}"),
                f"{found['first'] / parts * 1e3:.1f} ms",
                f"{again / count * 1e3:.1f} ms" if again is not None else "",
                f"{ratio:.2g}" if own else "",
                f"{peak:.0f} MiB" if peak else "",
                f"{peak - found['imported_mib']:.0f} MiB" if peak else "",
                f"{own['peak_mib'] / peak:.2g}" if own and peak else "",
            ])  # fmt: skip
    header = [
        "done once", "first time", "of each part", "again, of each", "tapefacade / it",
        "memory, peak", "more than imported", "tapefacade / it",
    ]  # fmt: skip
    return "\n\n".join([table(header, rows), *left_out_lines(results)])


def deep_table(results: dict[str, Any]) -> str:
    """Returns the seconds of the first steps of deep models, and those of the later ones."""
    rows = []
    for result in results.values():
        for name, found in result["contestants"].items():
            rows.append([
                f"{result['title']}: {name}",
                f"{found['first']:.2f} s",
                f"{found['first_cpu']:.2f} s",
                f"{found['early_cpu']:.2f} s",
                f"{found['longest']:.2f} s",
                f"{found['steady_ms']:.1f} ms",
                f"{found['total']:.1f} s",
                f"{found['process']:.1f} s",
                f"{found['peak_mib']:.0f} MiB",
            ])  # fmt: skip
    header = [
        "deep models", "first step", "processor", "to the 12th", "longest after the first",
        "a step then", "50 steps", "with the start", "memory, peak",
    ]  # fmt: skip
    return "\n\n".join([table(header, rows), *left_out_lines(results)])


def micro_table(results: dict[str, Any]) -> str:
    """Returns what one op costs."""
    rows = [
        [result["title"], *(f"{us:.2f} us" for us in result["us"].values())]
        for result in results.values()
    ]
    names = list(next(iter(results.values()))["us"])
    return table(["one op, recorded before", *names], rows)


def dispatch_table(results: dict[str, Any]) -> str:
    """Returns what single ops cost, the slowest in comparison first."""
    rows = []
    names = list(next(iter(results.values()))["alone"]["us"])
    for name, result in sorted(results.items(), key=lambda item: -item[1]["alone"]["ratio"]):
        cells = []
        for kind in ("alone", "chained"):
            us, ratio_jax = result[kind]["us"], result[kind].get("ratio_jax")
            cells += [time_text(us[who]) if who in us else "" for who in names]
            cells.append(f"{result[kind]['ratio']:.2f}")
            cells.append("" if ratio_jax is None else f"{ratio_jax:.2f}")
        rows.append([name, *cells])
    ratios = ["/ TF eager", "/ JAX eager"]
    header = [*names, *ratios, *(f"{name}, 20" for name in names), *ratios]
    found = dispatch.summary(results)
    return (
        f"{len(results)} single ops: looked at one by one, the median ratio is "
        f"{found['median_alone']:.2f}, {found['slower_alone']} are slower than in TensorFlow (the "
        f"worst {found['worst_alone']:.2f}); 20 after each other, the median ratio is "
        f"{found['median_chained']:.2f}.\n\n{table(['one op, looked at', *header], rows)}"
    )


def data_table(results: dict[str, Any]) -> str:
    """Returns how long an epoch of data takes."""
    names = [name for name in next(iter(results.values())) if name != "ratio"]
    rows = [
        [pipeline, *(f"{found[name]:.0f} ms" for name in names), f"{found['ratio']:.2f}"]
        for pipeline, found in results.items()
    ]
    return table(["one epoch of tf.data", *names, "ratio"], rows)


def start_table(results: dict[str, Any]) -> str:
    """Returns how long a process takes to its first gradient."""
    rows = [
        [name, *(f"{times[key]:.2f} s" for key in ("import", "first", "total"))]
        for name, times in results.items()
    ]
    return table(["from start to first gradient", "import", "gradient", "together"], rows)


def text(results: dict[str, Any]) -> str:
    """Returns all results for people."""
    tables = {
        "workloads": workload_tables, "keras": workload_tables, "deep": deep_table,
        "once": once_table, "micro": micro_table, "dispatch": dispatch_table, "data": data_table,
        "start": start_table,
    }  # fmt: skip
    parts = [table_of(found) for name, table_of in tables.items() if (found := results.get(name))]
    if found := results.get("import"):
        parts.append(
            f"`import tapefacade` after `import jax`: {found['tapefacade']:.2f} s "
            f"(`import jax`: {found['jax']:.2f} s)."
        )
    if found := results.get("memory"):
        parts.append(
            f"Memory before and after {found['steps']:,.0f} identical steps: "
            f"{found['before_mib']:.1f} and {found['after_mib']:.1f} MiB; Python objects: "
            f"{found['objects_before']:,.0f} and {found['objects_after']:,.0f}."
        )
    return "\n\n".join(parts)


def setting(results: dict[str, Any]) -> str:
    """Returns when and where a run took place."""
    listed = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    later = results.get("deep_run")
    added = f" Deep models: {_place(later)}." if later else ""
    return textwrap.fill(f"{_place(results)}; {listed}; {results['rounds']} rounds.{added}", 100)


def _place(results: dict[str, Any]) -> str:
    machine = results["machine"]
    return (
        f"{results['date']}, {machine['cores']} cores of {machine['processor']} "
        f"({machine['system']}), {machine['jax_device']}"
    )


def put(results: dict[str, Any], page: pathlib.Path) -> None:
    """Replaces the tables of a page."""
    before, rest = page.read_text().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    page.write_text(
        f"{before}{MARKS[0]}\n{setting(results)}\n\n{text(results)}\n\n{MARKS[1]}{after}"
    )


def main() -> None:
    """Shows a stored run."""
    file, *page = map(pathlib.Path, sys.argv[1:])
    results = json.loads(file.read_text())
    if page:
        put(results, page[0])
    else:
        print(text(results))


if __name__ == "__main__":
    main()
