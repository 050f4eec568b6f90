"""The command line `python -m tapefacade`: `run`, `launch`, `doctor`, `check`, `compare`, ..."""

import argparse
import atexit
import builtins
import functools
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import platform
import runpy
import sys
import traceback
import types
from collections.abc import Callable
from importlib import metadata
from typing import Any

import jax

import tapefacade
from tapefacade._port import (
    check_command,
    comparison,
    definition_places,
    doctor,
    launcher,
    notebook_runner,
    report as reporting,
)
from tapefacade._port.program_files import UnreadableError

DEMO = pathlib.Path(__file__).with_name("demo") / "pinn.py"
DESCRIPTION = "Runs TensorFlow 2 programs, unmodified, on JAX."


def main(arguments: list[str] | None = None) -> None:
    """Runs one command.

    Args:
        arguments: the words after `python -m tapefacade`; None takes them from `sys.argv`.

    Raises:
        SystemExit: With status 2 if the words make no command, with that of `check`, and whatever
            the program raises.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command == "demo":
        _run_script(str(DEMO), [])
    elif options.command == "check":
        _check(options)
    elif options.command == "compare":
        _compare(options)
    elif options.command == "launch":
        _launch(options)
    elif options.command == "doctor":
        _examine(options)
    elif options.command == "where":
        raise SystemExit(definition_places.where(options.names))
    else:
        _run(options)


def _check(options: argparse.Namespace) -> None:
    """Reads programs without running them."""
    for path in options.paths:
        if not os.path.exists(path):
            options.parser.error(f"there is no file or folder {path!r}")
    if options.write and not options.fix:
        options.parser.error("--write goes with --fix")
    try:
        if options.fix:
            raise SystemExit(check_command.fix(options.paths, options.write))
        raise SystemExit(check_command.check(options.paths, options.json, options.quiet))
    except BrokenPipeError:  # somebody read only the first lines, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(check_command.UNREADABLE) from None


def _compare(options: argparse.Namespace) -> None:
    """Runs a script under TensorFlow and here."""
    if not os.path.isfile(options.script):
        options.parser.error(f"there is no file {options.script!r}")
    python = options.tensorflow_python
    version = comparison.tensorflow_version(python)
    if version is None:
        options.parser.error(comparison.MESSAGE_NO_TENSORFLOW.format(python))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    setting = f"{version}; {_version()}; {machine}"
    raise SystemExit(
        comparison.compare(
            options.script, options.arguments, python, setting, options.html, options.timeout
        )
    )


def _run(options: argparse.Namespace) -> None:
    """Runs a script, a notebook or a module."""
    parser: argparse.ArgumentParser = options.parser
    name, *others = options.module or [options.script, *options.arguments]
    if options.module:
        if not _is_module(name):
            parser.error(f"there is no module {name!r}")
        run = _run_module
    elif name is None:
        parser.error("which script? Write `python -m tapefacade run SCRIPT [ARGS]`")
    elif not os.path.isfile(name):
        parser.error(f"there is no file {name!r}")
    elif name.endswith(".ipynb"):
        try:
            run = functools.partial(_run_notebook, notebook_runner.Notebook(name))
        except UnreadableError as error:
            parser.error(f"{name}: {error}")
    else:
        run = _run_script
    if options.report:
        _report(name)
    run(name, others)


def _launch(options: argparse.Namespace) -> None:
    """Runs a script in several processes."""
    if not os.path.isfile(options.script):
        options.parser.error(f"there is no file {options.script!r}")
    if options.processes < 1 or options.restarts < 0:
        options.parser.error("--processes is a positive number, and --restarts is not negative")
    command = ["-m", "tapefacade", "run", options.script, *options.arguments]
    raise SystemExit(launcher.Launcher(command, options.processes, options.restarts).run())


def _examine(options: argparse.Namespace) -> None:
    """Runs a script for some steps, and says what makes it slow."""
    if not os.path.isfile(options.script):
        options.parser.error(f"there is no file {options.script!r}")
    if options.steps < 1:
        options.parser.error("--steps is a positive number")
    examination = doctor.Examination(options.steps)
    _tell_at_exit(examination, lambda: f"doctor: {options.script}: {examination.advice()}")
    _run_script(options.script, options.arguments)


def _report(program: str) -> None:
    """Has a report printed when the process ends."""
    report = reporting.Report()
    _tell_at_exit(report, lambda: f"report: {program}\n{report.text()}")


def _tell_at_exit(observer: reporting.Report | doctor.Examination, text: Callable[[], str]) -> None:
    """Lets something observe the process, and writes what it has to say when the process ends."""

    def finish() -> None:
        observer.stop()
        sys.stdout.flush()
        sys.stderr.write(f"\ntapefacade {text()}\n")

    atexit.register(finish)
    observer.start()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tapefacade", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run a program that says `import tensorflow as tf`",
        description="Runs a program in which the name `tensorflow` means tapefacade. "
        "All that follows SCRIPT or MODULE is passed to it.",
        usage="python -m tapefacade run [-h] [--report] (SCRIPT | NOTEBOOK | -m MODULE) [ARGS ...]",
    )
    run.add_argument("script", nargs="?", metavar="SCRIPT", help="the script or notebook to run")
    run.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="its arguments")
    run.add_argument(
        "-m",
        dest="module",
        nargs=argparse.REMAINDER,
        metavar="MODULE",
        help="run a module instead, as `python -m` does",
    )
    run.add_argument(
        "--report",
        action="store_true",
        help="print at the end what was compiled, and where the time went, to standard error",
    )
    run.set_defaults(parser=run)
    launch = commands.add_parser(
        "launch",
        help="run a program in several processes of this machine, and watch them",
        description="Runs a program whose strategy is tf.distribute.MultiWorkerMirroredStrategy in "
        "several processes. Their lines of output begin with their numbers. When one of them dies, "
        "the others are ended, and the exit status is that of the first that has failed.",
        epilog=launcher.ADVICE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    launch.add_argument(
        "--processes", type=int, required=True, metavar="N", help="how many processes there are"
    )
    launch.add_argument(
        "--restarts",
        type=int,
        default=0,
        metavar="K",
        help="start all of them again when one has died, so many times; 0 by default",
    )
    launch.add_argument("script", metavar="SCRIPT", help="the script to run")
    launch.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="its arguments")
    launch.set_defaults(parser=launch)
    examine = commands.add_parser(
        "doctor",
        help="run a script for some steps, and say what makes it slow",
        description="Runs a script until it has taken some steps, and prints up to five findings "
        "with their lines and what to do: looks in a loop, shapes that change, functions that are "
        "recorded again, many small ops, float64 by accident, a dataset that is waited for. A step "
        "opens a tf.GradientTape.",
    )
    examine.add_argument(
        "--steps",
        type=int,
        default=doctor.STEPS,
        metavar="N",
        help=f"end the script after so many steps; {doctor.STEPS} by default",
    )
    examine.add_argument("script", metavar="SCRIPT", help="the script to run")
    examine.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="its arguments"
    )
    examine.set_defaults(parser=examine)
    check = commands.add_parser(
        "check",
        help="list the names of TensorFlow that programs use, and which of them are missing",
        description="Reads programs without running them. The exit status is 0 if tapefacade has "
        "all the names of TensorFlow that they use, 1 if some are missing, 2 if something cannot "
        "be read.",
    )
    check.add_argument(
        "paths",
        nargs="+",
        metavar="SCRIPT|FOLDER|NOTEBOOK",
        help="what to read; folders as a whole",
    )
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.add_argument(
        "-q", "--quiet", action="store_true", help="say nothing of what is there and the same"
    )
    check.add_argument(
        "--fix",
        action="store_true",
        help="show as a diff how scripts are written where nothing but the spelling has changed",
    )
    check.add_argument("--write", action="store_true", help="with --fix: change the files, too")
    check.set_defaults(parser=check)
    compare = commands.add_parser(
        "compare",
        help="run a script under TensorFlow and here, and show both side by side",
        description="Runs a script twice, under TensorFlow and here, and shows what it prints, "
        "where that differs first, and how long both take. The exit status is 0 if both print the "
        "same but for rounding and times, 1 if not, 2 if one of them fails.",
    )
    compare.add_argument(
        "--tensorflow-python",
        metavar="PATH",
        default=sys.executable,
        help="a Python that has TensorFlow; by default this one",
    )
    compare.add_argument("--html", metavar="FILE", help="write it as a page, too")
    compare.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=float,
        help="end each run after so long, and compare what both have printed by then; so does "
        "Ctrl-C for the run that it comes in",
    )
    compare.add_argument("script", metavar="SCRIPT", help="the script to run")
    compare.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="its arguments"
    )
    compare.set_defaults(parser=compare)
    where = commands.add_parser(
        "where",
        help="print where a name such as tf.nn.relu is defined",
        description="Prints FILE:LINE of the definition of each name, and in a checkout of the "
        "rows of tests/cases that test it. The exit status is 1 if there is no such name.",
    )
    where.add_argument("names", nargs="+", metavar="NAME", help="a name, with or without `tf.`")
    commands.add_parser(
        "demo",
        help="train a small physics-informed network, in a few seconds",
        description=f"Runs the script {DEMO}: unmodified TensorFlow code with nested tapes.",
    )
    return parser


def _version() -> str:
    """Says which releases are at work."""
    try:
        own = metadata.version("tapefacade")
    except metadata.PackageNotFoundError:  # a checkout that nobody has installed
        own = "(not installed)"
    return f"tapefacade {own}, jax {jax.__version__}, follows TensorFlow {tapefacade.__version__}"


def _run_script(path: str, arguments: list[str]) -> None:
    """Runs a file as `python FILE` does."""
    module = types.ModuleType("__main__")
    loader = importlib.machinery.SourceFileLoader("__main__", os.path.abspath(path))
    vars(module).update(
        __builtins__=builtins, __cached__=None, __file__=loader.path, __loader__=loader
    )
    _become(path, arguments, os.path.dirname(os.path.realpath(path)))
    # It stays there: threads and functions that run at exit still need its names.
    sys.modules["__main__"] = module
    with io.open_code(loader.path) as file:
        code = compile(file.read(), loader.path, "exec", dont_inherit=True)
    exec(code, vars(module))


def _run_notebook(notebook: notebook_runner.Notebook, path: str, arguments: list[str]) -> None:
    """Runs a notebook's cells, in its folder, as Jupyter does."""
    folder = os.path.dirname(os.path.realpath(path))
    _become(path, arguments, folder)
    os.chdir(folder)
    sys.modules["__main__"] = notebook.module
    sys.excepthook = _show_exception_of_cell
    notebook.run(_trim)


def _run_module(name: str, arguments: list[str]) -> None:
    """Runs a module or package as `python -m` does."""
    _become(name, arguments, os.getcwd())
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _become(program: str, arguments: list[str], folder: str) -> None:
    """Makes the process look as if Python had been started with the program."""
    tapefacade.install_as_tensorflow()
    sys.argv[:] = [program, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = folder
    sys.excepthook = _show_exception


def _is_module(name: str) -> bool:
    """Tells whether there is such a package or module, without importing it."""
    try:
        return importlib.util.find_spec(name.partition(".")[0]) is not None
    except ValueError:
        return False


def _show_exception(
    kind: type[BaseException], error: BaseException, trace: types.TracebackType | None
) -> Any:
    """Prints a traceback that begins in the program, as if this module had not started it."""
    _trim(error)
    sys.__excepthook__(kind, error, error.__traceback__)


def _show_exception_of_cell(
    kind: type[BaseException], error: BaseException, trace: types.TracebackType | None
) -> Any:
    """Prints a traceback with the lines of cells, which Python's own hook may not find."""
    _trim(error)
    traceback.print_exception(error)


def _trim(error: BaseException) -> None:
    """Removes the frames before the program from a traceback."""
    trace = error.__traceback__
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    error.__traceback__ = trace


def _is_ours(filename: str) -> bool:
    return filename in (__file__, notebook_runner.__file__) or filename.startswith("<frozen ")


if __name__ == "__main__":
    main()
