"""Runs the tests of libraries written for TensorFlow on tapefacade, and writes what passes down.

    python tests/libraries/run.py                      all of them, into notebooks/libraries.md
    python tests/libraries/run.py dm-sonnet larq       some; the others keep their rows
    python tests/libraries/run.py --short              what CI runs: three, and no failure allowed

Each library comes from PyPI, in the version that is pinned here, and is installed with what it
imports, though without TensorFlow, in an environment that is thrown away. Its tests are run as they
are, where `import tensorflow` means tapefacade: `python -m tapefacade run -m pytest`.
"""

import argparse
import collections
import dataclasses
import fnmatch
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import venv
from typing import Any
from xml.etree import ElementTree

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
RESULTS = HERE / "results.json"
PAGE = ROOT / "notebooks" / "libraries.md"
# What the libraries import beside TensorFlow, for all of them at once.
REQUIREMENTS = [
    "tensorflow-probability==0.25.0", "pytest==9.2.0", "pytest-timeout==2.4.0", "mock", "pandas",
    "setuptools==80.9.0", "decorator", "cloudpickle", "gast", "matplotlib", "scikit-learn",
]  # fmt: skip
SECONDS_FOR_A_TEST, SECONDS_FOR_A_LIBRARY, SECONDS_TO_END = 60, 1200, 200
# Messages of old versions of protobuf are read by its Python only; deepxde has several backends.
VARIABLES = {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python", "DDE_BACKEND": "tensorflow"}
ERROR = re.compile(r"\w*(Error|Exception|Exit)\b")
REASONS_SHOWN = 3
LETTERS_OF_A_REASON = 110


@dataclasses.dataclass(frozen=True)
class Library:
    """A library, and where its tests are.

    Attributes:
        name: on PyPI.
        version: the pinned version.
        tests: patterns of files of the distribution; none if it comes without tests.
        program: whether the program of its name in `programs` runs, as there are no tests.
        requirements: what else it imports.
        short: patterns of the files that CI runs.
        is_short: whether CI runs the program.
        note: what the table says beside the counts.
    """

    name: str
    version: str
    tests: tuple[str, ...] = ()
    program: bool = False
    requirements: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    is_short: bool = False
    note: str = ""


LIBRARIES = [
    Library(
        "dm-sonnet", "2.0.2",
        tuple(f"sonnet/src/{x}*_test.py" for x in ("", "nets/", "optimizers/", "conformance/")),
        requirements=("tabulate", "wrapt", "dm-tree"),
        short=("sonnet/src/pad_test.py", "sonnet/src/reshape_test.py"),
        note="Checkpoints that the package lacks; Keras 3 does not see the variables of modules, "
        "with TensorFlow 2.21 alike",
    ),
    Library(
        "gpflow", "2.11.2", ("tests/gpflow/*.py",),
        requirements=("check-shapes", "lark", "deprecated", "multipledispatch", "tabulate"),
    ),
    Library("deepxde", "1.15.0", program=True, is_short=True, requirements=("scikit-optimize",)),
    Library("tf-quant-finance", "0.0.1.dev34", program=True, is_short=True),
    Library(
        "tensorflow-datasets", "4.9.10", ("tensorflow_datasets/core/features/*_test.py",),
        requirements=(
            "array_record", "etils[edc,enp,epath,epy,etree]", "immutabledict", "promise", "psutil",
            "pyarrow", "simple_parsing", "tensorflow-metadata", "termcolor", "toml", "tqdm",
        ),
        note="Specs of mapped elements have the sizes of the first element; half of a test is for "
        "graphs, which there are none of; the package lacks the files of 32",
    ),
    Library(
        "tensorflow-graphics", "2021.12.3",
        ("tensorflow_graphics/math/*_test.py", "tensorflow_graphics/geometry/*_test.py"),
        requirements=("networkx", "trimesh", "psutil", "tqdm", "termcolor"),
    ),
    Library("tensorflow-hub", "0.16.1", program=True),
    Library("keras-tuner", "1.4.8", program=True, requirements=("kt-legacy", "grpcio")),
    Library(
        "keras-hub", "0.32.0", program=True, requirements=("regex", "tokenizers", "kagglehub")
    ),
    Library(
        "tf-keras-vis", "0.8.7", ("tests/tf_keras_vis/*_test.py",),
        requirements=("imageio", "deprecated", "packaging"),
    ),
    Library(
        "tf-agents", "0.19.0",
        (
            "tf_agents/agents/dqn/*_test.py", "tf_agents/agents/ppo/*_test.py",
            "tf_agents/utils/*_test.py", "tf_agents/trajectories/*_test.py",
        ),
        requirements=("gin-config", "gym==0.23.0", "pygame"),
        note="Graphs, `DenseFeatures` of Keras 2; it does not know NumPy 2",
    ),
    Library(
        "zfit", "0.28.0", program=True,
        requirements=(
            "hist", "uproot", "iminuit", "jacobi", "dill", "dotmap", "frozendict", "ordered-set",
            "pydantic", "pyyaml", "texttable", "uhi", "xxhash", "zfit-interface", "colored",
            "colorlog", "colorama", "boost-histogram", "numdifftools",
        ),
    ),
    Library(
        "larq", "0.14.0", ("larq/*_test.py",), requirements=("terminaltables",),
        note="It needs Keras 2: with TensorFlow 2.21 and its Keras it cannot be imported either",
    ),
    Library(
        "spektral", "1.3.1", program=True, requirements=("networkx", "lxml", "joblib"),
        note="Keras 3 gives layers of several inputs the mask `[None, None]`, Keras 2 gave None: "
        "with TensorFlow 2.21 and its Keras the program fails alike",
    ),
]  # fmt: skip


def environment(folder: pathlib.Path, libraries: list[Library]) -> pathlib.Path:
    """Makes an environment with tapefacade and the libraries, without TensorFlow."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    needed = {requirement for library in libraries for requirement in library.requirements}
    pip = [str(python), "-m", "pip", "install", "-q"]
    subprocess.run([*pip, "-e", f"{ROOT}[all]", *REQUIREMENTS, *sorted(needed)], check=True)
    pinned = [f"{library.name}=={library.version}" for library in libraries]
    subprocess.run([*pip, "--no-deps", *pinned], check=True)
    return python


def files_of(python: pathlib.Path, library: Library, patterns: tuple[str, ...]) -> list[str]:
    """Lists the files of an installed distribution that fit the patterns."""
    (packages,) = python.parent.parent.glob("lib/python*/site-packages")
    (found,) = importlib.metadata.distributions(name=library.name, path=[str(packages)])
    paths = [str(path) for path in found.files or []]
    wanted = [p for p in paths if any(fnmatch.fnmatch(p, pattern) for pattern in patterns)]
    return [str(packages / p) for p in sorted(wanted) if re.search(r"(^|/)test_|_test\.py$", p)]


def outcome(python: pathlib.Path, library: Library, is_short: bool, seconds: int) -> dict[str, Any]:
    """Runs the tests of one library, or its program; returns the counts and what failed why."""
    start = [str(python), "-m", "tapefacade", "run"]
    settings: dict[str, Any] = {
        "capture_output": True, "text": True, "env": {**os.environ, **VARIABLES},
        "timeout": seconds + SECONDS_TO_END,
    }  # fmt: skip
    if library.program:
        program = HERE / "programs" / f"{library.name.replace('-', '_')}_program.py"
        said = subprocess.run([*start, str(program)], **settings)
        lines = [x for x in said.stderr.splitlines() if ERROR.match(x)] or [""]
        return {"runs": not said.returncode, "reasons": said.returncode * [shortened(lines[-1])]}
    files = files_of(python, library, library.short if is_short else library.tests)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        command = [
            *start, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line",
            "--continue-on-collection-errors", f"--timeout={SECONDS_FOR_A_TEST}",
            f"--session-timeout={seconds}", f"--junitxml={report}",
            "--import-mode=importlib", f"--rootdir={folder}", *files,
        ]  # fmt: skip
        try:
            done = subprocess.run(command, cwd=folder, **settings)
        except subprocess.TimeoutExpired:
            return {"reasons": [f"not ready after {seconds} s"]}
        if not report.exists():
            return {"reasons": [shortened((done.stderr or done.stdout).strip().splitlines()[-1])]}
        return {**counted(report), "is_cut": "session-timeout:" in done.stdout}


def is_good(found: dict[str, Any]) -> bool:
    """Whether all tests ran and passed, and there were some, or the program ran to its end."""
    is_whole = bool(found.get("runs") or found.get("passed")) and not found.get("is_cut")
    return is_whole and not found["reasons"]


def counted(report: pathlib.Path) -> dict[str, Any]:
    """Counts what a report of pytest says."""
    counts: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        problem = case.find("failure")
        problem = case.find("error") if problem is None else problem
        if problem is not None:
            counts["failed"] += 1
            text = problem.text if "collection" in problem.get("message", "") else None
            said = (text or problem.get("message", "")).strip().splitlines() or [""]
            reasons[shortened(said[-1] if text else said[0])] += 1
        else:
            counts["skipped" if case.find("skipped") is not None else "passed"] += 1
    common = [f"{count} times {reason}" for reason, count in reasons.most_common(REASONS_SHOWN)]
    return {**counts, "reasons": common}


def shortened(reason: str) -> str:
    """Returns a line without what differs from run to run, short enough for a table."""
    reason = re.sub(r"0x[0-9a-f]+|/\S+/", "", re.sub(r"\s+", " ", reason)).replace("|", "/")
    return reason[:LETTERS_OF_A_REASON].replace("`", "'").strip()


def table(results: dict[str, dict[str, Any]]) -> str:
    """Writes the rows of the page."""
    rows = [
        "| library | version | tests run | passed | what stops the others |",
        "|---|---|--:|--:|---|",
    ]
    for library in LIBRARIES:
        found = results.get(library.name)
        if found is None:
            continue
        passed, failed = found.get("passed", 0), found.get("failed", 0)
        counts = f"{passed + failed} | {passed}"
        if library.program:
            counts = "a program | " + ("runs" if found.get("runs") else "fails")
        elif found.get("is_cut"):
            counts = f"the first {counts}"
        reasons = "; ".join(f"`{reason}`" for reason in found["reasons"])
        notes = ". ".join(x for x in (library.note, reasons) if x)
        rows.append(f"| {library.name} | {library.version} | {counts} | {notes} |")
    return "\n".join(rows) + "\n"


def write_page(results: dict[str, dict[str, Any]]) -> None:
    """Puts the table between the marks of the page."""
    text = PAGE.read_text(encoding="utf-8")
    start, end = "<!-- table -->\n", "<!-- end of the table -->"
    before, after = text.split(start)[0], text.split(end)[1]
    PAGE.write_text(f"{before}{start}\n{table(results)}\n{end}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="libraries; all by default")
    parser.add_argument("--short", action="store_true", help="what CI runs; a failure is an error")
    parser.add_argument("--environment", type=pathlib.Path, help="a folder to keep it in")
    parser.add_argument("--python", type=pathlib.Path, help="of an environment that is ready")
    parser.add_argument(
        "--seconds",
        type=int,
        default=SECONDS_FOR_A_LIBRARY,
        help="after which a library's tests end",
    )
    given = parser.parse_args()
    libraries = [x for x in LIBRARIES if x.name in (given.names or [x.name])]
    libraries = [x for x in libraries if x.short or x.is_short or not given.short]
    with tempfile.TemporaryDirectory() as folder:
        python = given.python or environment(given.environment or pathlib.Path(folder), libraries)
        results = {} if given.short else json.loads(RESULTS.read_text(encoding="utf-8"))
        for library in libraries:
            found = outcome(python, library, given.short, given.seconds)
            results[library.name] = found
            print(library.name, json.dumps(found), flush=True)  # noqa: T201
            if not given.short:
                ordered = {x.name: results[x.name] for x in LIBRARIES if x.name in results}
                RESULTS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    if given.short:
        bad = [name for name, found in results.items() if not is_good(found)]
        sys.exit(f"On tapefacade the tests fail of {', '.join(bad)}." if bad else 0)
    write_page(results)


if __name__ == "__main__":
    main()
