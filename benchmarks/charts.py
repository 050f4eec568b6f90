"""Charts of a run, for the page: how long the others take, and what a process costs.

python benchmarks/charts.py benchmarks/results.json [FOLDER]
"""

import json
import pathlib
import sys
import textwrap
from typing import Any

import deep
import matplotlib.pyplot as plt
import report
from matplotlib.ticker import FuncFormatter

# Name: mark and colour, by family: what TensorFlow is is orange, JAX blue, PyTorch red.
STYLES = {
    "its tf.function": ("o", "#2a9d3a"),
    "TF eager": ("s", "#f4a340"),
    "TF function": ("D", "#c76a00"),
    "TF function, XLA": ("^", "#7f4400"),
    "JAX eager": ("s", "#8ab6e8"),
    "jax.jit": ("D", "#1b5fb4"),
    "PyTorch eager": ("s", "#ec8a8a"),
    "torch.compile": ("D", "#b81d24"),
    "torchax": ("^", "#7a3b8f"),
    "Keras on JAX, fit": ("v", "#3b8f8a"),
}
# What README.md shows, and what it calls it.
OVERVIEW = (
    "mlp_3x64", "mlp_3x512", "cnn", "lstm", "transformer", "variables", "order_3", "burgers",
    "beam", "jacobian", "maml", "while",
)  # fmt: skip
COMPARED = {
    "tapefacade": "tapefacade, as it is",
    "its tf.function": "tapefacade with tf.function",
    "TF eager": "TensorFlow eager",
    "TF function": "TensorFlow with tf.function",
}
# The background is drawn, too, so that the charts are the same on light and dark pages.
LOOK = {
    "font.size": 9, "figure.facecolor": "white", "axes.facecolor": "white",
    "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "tapefacade",
}  # fmt: skip


def factor(value: float, _: Any = None) -> str:
    """Writes how many times as long something takes."""
    return f"{value:g}x"


def steps_chart(results: dict[str, Any]) -> Any:
    """Draws, for each workload, the times of all in relation to tapefacade's."""
    workloads = [*results.get("workloads", {}).values(), *results.get("keras", {}).values()]
    figure, axes = plt.subplots(figsize=(9, 1.6 + 0.26 * len(workloads)), layout="constrained")
    for name, (mark, colour) in STYLES.items():
        places = [i for i, w in enumerate(workloads) if name in w["contestants"]]
        if places:
            # Stored is tapefacade's time by the other's; the chart shows the other's.
            ratios = [1 / workloads[i]["contestants"][name]["ratio"] for i in places]
            axes.scatter(ratios, places, s=24, marker=mark, color=colour, label=name, zorder=3)
    axes.set_xlabel("time of a step, in times of imperative tapefacade's\n"
                    "(left of the line: faster than it; right: slower)")  # fmt: skip
    return finished(figure, axes, workloads)


def overview_chart(results: dict[str, Any]) -> Any:
    """Draws the steps of README.md, in times of what JAX written by hand takes.

    Of deep models it is what Keras's own training on JAX takes, and the time of the processor: that
    of all its cores, so that other programs do not count.
    """
    workloads = [results["workloads"][name] for name in OVERVIEW]
    models = list(results.get("deep", {}).values())
    rows = workloads + [{"title": f"{model['title']} *"} for model in models]
    figure, axes = plt.subplots(figsize=(9, 0.9 + 0.34 * len(rows)), layout="constrained")
    for name, label in COMPARED.items():
        mark, colour = STYLES.get(name, ("^", "#0b7285"))
        times = [
            w["contestants"]["jax.jit"]["ratio"] / w["contestants"][name]["ratio"]
            for w in workloads
        ]
        times += [
            m["contestants"][name]["steady_cpu_ms"] / m["contestants"][deep.KERAS]["steady_cpu_ms"]
            for m in models
        ]
        axes.scatter(times, range(len(rows)), s=46, marker=mark, color=colour, label=label)
    label = (
        "\u2190 faster    time of a step, in times of jax.jit written by hand (1x)    slower \u2192"
    )
    if models:
        label += "\n* seconds of the processor, all its cores, in those of Keras on JAX"
    axes.set_xlabel(label)
    return finished(figure, axes, rows)


def finished(figure: Any, axes: Any, workloads: list[Any]) -> Any:
    """Gives a chart of ratios its axes and legend."""
    axes.axvline(1, color="black", linewidth=1.2, zorder=1)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(factor))
    axes.set_yticks(range(len(workloads)), [w["title"] for w in workloads])
    axes.set_ylim(len(workloads) - 0.5, -0.5)
    axes.grid(axis="both", color="#dddddd", linewidth=0.6, zorder=0)
    figure.legend(loc="outside upper center", ncols=5, frameon=False)
    return figure


def processes_chart(results: dict[str, Any]) -> Any:
    """Draws how long the first gradient takes, and the memory of a large network's training."""
    start = {name: times["total"] for name, times in results.get("start", {}).items()}
    large = results.get("once", {}).get("large", {}).get("contestants", {})
    memory = {name: found["peak_mib"] for name, found in large.items()}
    figure, both = plt.subplots(1, 2, figsize=(9, 2.8), layout="constrained")
    titles = (
        ("start of Python to the first gradient, s", start, "{:.2f}"),
        ("peak memory, training an MLP 4x2048, MiB", memory, "{:.0f}"),
    )
    for axes, (title, values, form) in zip(both, titles, strict=True):
        colours = [
            "#2a9d3a" if name in report.OWN else STYLES.get(name, ("", "#c76a00"))[1]
            for name in values
        ]
        bars = axes.barh(list(values), list(values.values()), color=colours)
        axes.bar_label(bars, [form.format(value) for value in values.values()], padding=3)
        axes.invert_yaxis()
        axes.margins(x=0.15)
        axes.set_title(title, fontsize=9)
    return figure


def draw(results: dict[str, Any], folder: pathlib.Path) -> None:
    """Writes the charts as SVG and PNG, the machine and the versions below them."""
    plt.switch_backend("agg")
    caption = textwrap.fill(report.setting(results).replace("\n", " "), 150)
    with plt.rc_context(LOOK):
        charts = {"steps": steps_chart, "overview": overview_chart, "processes": processes_chart}
        for name, make in charts.items():
            figure = make(results)
            figure.supxlabel(caption, fontsize=6.5, color="#555555")
            figure.savefig(folder / f"chart_{name}.svg", metadata={"Date": None})
            figure.savefig(folder / f"chart_{name}.png", dpi=140)
            plt.close(figure)


def main() -> None:
    """Draws a stored run."""
    file, *folder = map(pathlib.Path, sys.argv[1:])
    draw(json.loads(file.read_text()), folder[0] if folder else file.parent)


if __name__ == "__main__":
    main()
