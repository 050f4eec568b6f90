"""The command line: `python -m tapefacade run SCRIPT [ARGS]` and `python -m tapefacade demo`."""

import argparse
import builtins
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import runpy
import sys
import types
from importlib import metadata
from typing import Any

import jax

import tapefacade

DEMO = pathlib.Path(__file__).with_name("demo") / "pinn.py"
DESCRIPTION = "Runs TensorFlow 2 programs, unmodified, on JAX."


def main(arguments: list[str] | None = None) -> None:
    """Runs one command.

    Args:
        arguments: the words after `python -m tapefacade`; None takes them from `sys.argv`.

    Raises:
        SystemExit: With status 2 if the words make no command, and whatever the program raises.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command == "demo":
        _run_script(str(DEMO), [])
    elif options.module:
        name, *others = options.module
        if not _is_module(name):
            options.parser.error(f"there is no module {name!r}")
        _run_module(name, others)
    elif options.script is None:
        options.parser.error("which script? Write `python -m tapefacade run SCRIPT [ARGS]`")
    elif not os.path.isfile(options.script):
        options.parser.error(f"there is no file {options.script!r}")
    else:
        _run_script(options.script, options.arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tapefacade", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run a program that says `import tensorflow as tf`",
        description="Runs a program in which the name `tensorflow` means tapefacade. "
        "All that follows SCRIPT or MODULE is passed to it.",
        usage="python -m tapefacade run [-h] (SCRIPT | -m MODULE) [ARGS ...]",
    )
    run.add_argument("script", nargs="?", metavar="SCRIPT", help="the file to run")
    run.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="its arguments")
    run.add_argument(
        "-m",
        dest="module",
        nargs=argparse.REMAINDER,
        metavar="MODULE",
        help="run a module instead, as `python -m` does",
    )
    run.set_defaults(parser=run)
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
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def _is_ours(filename: str) -> bool:
    return filename == __file__ or filename.startswith("<frozen ")


if __name__ == "__main__":
    main()
