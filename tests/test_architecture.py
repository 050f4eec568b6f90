"""The rules of the code base, as tests."""

import ast
import functools
import importlib
import inspect
import pathlib
import re
import types
from collections.abc import Iterator

import pytest

import tapefacade
from tapefacade._core.missing_names import missing_attribute, namespaces

PACKAGE = pathlib.Path(tapefacade.__file__).parent
# The demo is a program for TensorFlow, not a part of the package.
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.parent != PACKAGE / "demo")
# A package imports from itself and from those before it. Last come the public namespaces, the root
# module and the command line, which no package may import.
LAYERS = [
    "_core",
    "_trace",
    "_definition",
    "_ops",
    "_state",
    "_config",
    "_queues",
    "_extension",
    "_sparse",
    "_ragged",
    "_strings",
    "_io",
    "_lookup",
    "_feature_column",
    "_testing",
    "_linear",
    "_numpy",
    "_compat",
    "_tape",
    "_function",
    "_optimizers",
    "_autograph",
    "_keras",
    "_data",
    "_checkpoint",
    "_summary",
    "_distribute",
    "_port",
]

# All tests of a module run one after the other, so that it is parsed once.
every_module = pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)), scope="module"
)


@functools.lru_cache(maxsize=2)
def tree(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@functools.lru_cache(maxsize=2)
def nodes(path: pathlib.Path) -> list[ast.AST]:
    """All nodes of a module, those of a line before those within them."""
    return list(ast.walk(tree(path)))


def layer(parts: tuple[str, ...]) -> int:
    """The rank of a module, given the parts of its name after `tapefacade`."""
    return LAYERS.index(parts[0]) if parts and parts[0] in LAYERS else len(LAYERS)


def module_parts(path: pathlib.Path) -> tuple[str, ...]:
    return path.relative_to(PACKAGE).with_suffix("").parts


def only_for_types(node: ast.AST) -> bool:
    """Whether the node is `if TYPE_CHECKING:`."""
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return getattr(test, "id", getattr(test, "attr", None)) == "TYPE_CHECKING"


def imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Every import below a node that runs, at any depth."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif only_for_types(child):
            yield from (i for other in child.orelse for i in imports(other))
        else:
            yield from imports(child)


@functools.lru_cache(maxsize=2)
def imported_names(path: pathlib.Path) -> list[tuple[str, int]]:
    """Every dotted name that a module imports, with its line."""
    names = []
    parts = ("tapefacade", *module_parts(path))
    for node in imports(tree(path)):
        if isinstance(node, ast.Import):
            names += [(alias.name, node.lineno) for alias in node.names]
            continue
        above = parts[: len(parts) - node.level] if node.level else ()
        base = ".".join([*above, *filter(None, [node.module])])
        names += [(f"{base}.{alias.name}", node.lineno) for alias in node.names]
    return names


@every_module
def test_imports_go_one_way(path):
    own = layer(module_parts(path))
    wrong = []
    for name, line in imported_names(path):
        first, *others = name.split(".")
        if first == "tapefacade" and own < len(LAYERS) and layer(tuple(others)) > own:
            wrong.append(f"line {line}: {name}")
    assert not wrong


@every_module
def test_only_public_jax_is_imported(path):
    private = [
        f"line {line}: {name}"
        for name, line in imported_names(path)
        if name.startswith("jax.") and any(part.startswith("_") for part in name.split("."))
    ]
    assert not private
    assert "jax._src" not in path.read_text(encoding="utf-8")


@every_module
def test_tensorflow_is_not_imported(path):
    names = {name.partition(".")[0] for name, _ in imported_names(path)}
    assert not names & {"tensorflow", "keras", "tensorflow_probability"}


@every_module
def test_all_messages_go_to_one_logger(path):
    """That of `tf.get_logger`: who silences it has silenced the library."""
    others = [
        node.lineno
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == "getLogger"
    ]
    assert not others or path.name == "logging.py"


@every_module
def test_no_import_hides_in_a_function_or_a_branch(path):
    hidden = [
        f"line {inner.lineno}"
        for node in tree(path).body
        if not isinstance(node, ast.Import | ast.ImportFrom) and not only_for_types(node)
        for inner in imports(node)
    ]
    assert not hidden


@every_module
def test_modules_say_what_they_hold(path):
    assert ast.get_docstring(tree(path))


@every_module
def test_no_name_is_defined_twice(path):
    """Ruff's F811 does not see functions that a decorator may have used."""
    for node in nodes(path):
        if not isinstance(node, ast.Module | ast.ClassDef):
            continue
        names = [
            inner.name
            for inner in node.body
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and not any(is_part_of_another(decorator) for decorator in inner.decorator_list)
        ]
        assert sorted(names) == sorted(set(names))


def is_part_of_another(decorator: ast.expr) -> bool:
    """Whether a definition with this decorator adds to one of the same name, or is only a type."""
    name = getattr(decorator, "attr", getattr(decorator, "id", None))
    return name in ("setter", "deleter", "overload", "register")


# Names of TensorFlow's that two classes have there as well.
TWO_CLASSES = {"CompositeTensor", "name_scope"}


def test_every_class_has_a_name_of_its_own():
    """A traceback or a search that names a class of the package then means one."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert set(twice) <= TWO_CLASSES, twice


# Where files are opened that no user names with `://`, and the storage of local files itself.
FILES_OF_THIS_MACHINE = {
    "__main__.py": "the script to run, and the null device",
    "_data/dataset_files.py": "what a storage has opened, or its file if that is on this machine",
    "_data/files.py": "what a storage has opened, or its file if that is on this machine",
    "_io/storage.py": "the storage of this machine",
    "_io/whole_files.py": "a file of this machine, and its directory",
    "_ops/array/printing.py": "`tf.print` writes to `file://` only, as in TensorFlow",
    "_port": "the user's programs",
    "_trace/compilation_cache.py": "what the system says of the processor",
}
OPENING = {"open", "os.open", "io.open", "gzip.open", "np.load", "np.save", "np.fromfile"}


@every_module
def test_files_that_users_name_are_opened_by_their_storage(path):
    """So that paths with `://` work wherever a file does (`_io/storage.py`)."""
    place = path.relative_to(PACKAGE).as_posix()
    opened = [
        f"line {node.lineno}"
        for node in nodes(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in OPENING
    ]
    assert not opened or any(place.startswith(known) for known in FILES_OF_THIS_MACHINE)


# -- what is public -------------------------------------------------------------------------------


def public_namespaces() -> dict[str, types.ModuleType]:
    found = {"tf": tapefacade}
    waiting = ["tf"]
    while waiting:
        path = waiting.pop()
        for name, namespace in namespaces(found[path]).items():
            if namespace not in found.values():
                found[f"{path}.{name}"] = namespace
                waiting.append(f"{path}.{name}")
    return found


NAMESPACES = public_namespaces()
every_namespace = pytest.mark.parametrize("namespace", NAMESPACES.values(), ids=NAMESPACES.keys())


@every_namespace
def test_every_public_name_is_documented(namespace):
    undocumented = [
        name
        for name, value in vars(namespace).items()
        if not name.startswith("_")
        and (inspect.isroutine(value) or inspect.isclass(value) or inspect.ismodule(value))
        and not (inspect.getdoc(value) or "").strip()
    ]
    assert not undocumented


@every_namespace
def test_only_names_of_this_package_are_public(namespace):
    """A helper that a module imports for itself becomes a public name unless it is private."""
    foreign = [
        name
        for name, value in vars(namespace).items()
        if not name.startswith("_")
        and (
            value is missing_attribute
            or (
                inspect.ismodule(value)
                and value.__name__.partition(".")[0] != "tapefacade"
                and name != "keras"  # there once somebody has asked for it
            )
        )
    ]
    assert not foreign


def test_every_public_file_is_a_namespace():
    files = {
        ".".join(["tapefacade", *module_parts(path)]).removesuffix(".__init__")
        for path in MODULES
        if not any(part.startswith("_") and part != "__init__" for part in module_parts(path))
    }
    # The namespaces of `tf.compat.v1` are made from a table.
    with_files = {n.__name__ for n in NAMESPACES.values() if hasattr(n, "__file__")}
    # `tf.keras` is Keras's own module, imported when somebody asks for it.
    assert files - {"tapefacade.keras"} == with_files


def test_importing_the_package_changes_no_setting_of_jax():
    # Each module is loaded by now; what would have changed a setting is in the text.
    calls = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.Attribute)
        and node.attr == "update"
        and ast.unparse(node) == "jax.config.update"
    ]
    assert not calls


def test_the_layers_are_all_there_are():
    packages = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert {name for name in packages if name.startswith("_")} <= set(LAYERS)


def test_every_module_can_be_imported():
    for path in MODULES:
        if path.name != "__main__.py":
            name = ".".join(["tapefacade", *module_parts(path)])
            importlib.import_module(name.removesuffix(".__init__"))


def is_broad(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    broad = (None, "Exception", "BaseException")
    return any(kind is None or getattr(kind, "id", "") in broad for kind in caught)


def only_shortens(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does what `_core/tracebacks.py` describes, and raises again."""
    return [ast.unparse(statement) for statement in handler.body] == ["shorten(error)", "raise"]


@every_module
def test_broad_handlers_say_why(path):
    """Beside the `except`: whose exceptions these are, or why Ctrl-C is among them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    silent = [
        f"line {node.lineno}"
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler) and is_broad(node) and not only_shortens(node)
        if "  # " not in lines[node.lineno - 1]
    ]
    assert not silent


ROOT = PACKAGE.parent
# A file or folder in backticks or a link; not `ROOM/SUBJECT.py`, nor a page of the web.
NAMED_FILE = re.compile(
    r"`([\w/]*[a-z_0-9]\.(?:py|md|ipynb|toml))`|`((?:_[a-z]+|tests|benchmarks|notebooks)/[a-z_0-9/]*)`"
    r"|\]\(([\w/]+\.(?:md|py|ipynb|svg|png))[#)]"
)
# What is in such a file: `_core/tensor.py` (`_array`)
NAMED_PART = re.compile(r"`([a-z_0-9/]+\.py)` \(((?:`\w+`(?:, )?)+)\)")
IS_CHECKOUT = (ROOT / "notebooks").exists()  # an installed package has no guides
GUIDES = (
    sorted(
        page for folder in (".", "notebooks", "benchmarks") for page in ROOT.glob(f"{folder}/*.md")
    )
    if IS_CHECKOUT
    else []
)
every_guide = pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
only_in_a_checkout = pytest.mark.skipif(not IS_CHECKOUT, reason="there are no guides")


def files_named(text: str) -> list[str]:
    return [next(filter(None, found)) for found in NAMED_FILE.findall(text)]


def places(name: str, page: pathlib.Path) -> list[pathlib.Path]:
    """The files that a page means: by a path in the package, or a name that is there once."""
    near = [base / name for base in (PACKAGE, ROOT, page.parent, ROOT / "tests")]
    found = [path for path in near if path.exists()]
    return found or ([] if "/" in name else [path for path in MODULES if path.name == name])


@every_guide
def test_files_that_the_guides_name_exist(page):
    named = files_named(page.read_text(encoding="utf-8"))
    assert not [name for name in named if not places(name, page)]


@every_guide
def test_what_the_guides_say_is_in_a_file_is_there(page):
    for name, parts in NAMED_PART.findall(page.read_text(encoding="utf-8")):
        texts = [path.read_text(encoding="utf-8") for path in places(name, page)]
        for part in re.findall(r"\w+", parts):
            assert any(re.search(rf"\b{part}\b", text) for text in texts), f"{part} in {name}"


@only_in_a_checkout
def test_the_guides_name_files():
    """So that the two tests above look at something."""
    named = {page.name: files_named(page.read_text(encoding="utf-8")) for page in GUIDES}
    assert len(named["how_it_works.md"]) > 50
    assert {"_ops/math/special.py", "_core/kernel_dtypes.py"} <= set(named["adding_an_op.md"])


@only_in_a_checkout
@every_module
def test_files_that_modules_name_exist(path):
    named = files_named(path.read_text(encoding="utf-8"))
    assert not [name for name in named if not places(name, path)]


@only_in_a_checkout
def test_the_guide_lists_the_packages_in_their_order():
    guide = (ROOT / "notebooks" / "how_it_works.md").read_text(encoding="utf-8")
    table = guide.partition("## Where things are")[2]
    rows = re.findall(r"^\| (`_.*?) \|", table, re.M)
    assert re.findall(r"\w+", " ".join(rows)) == LAYERS


@only_in_a_checkout
def test_the_rows_of_tests_mirror_the_ops():
    """`_ops/ROOM/SUBJECT.py` has its rows in `tests/cases/ROOM/SUBJECT.py`."""
    cases = ROOT / "tests" / "cases"
    rooms = [
        room for room in cases.iterdir() if (PACKAGE / "_ops" / room.name / "__init__.py").exists()
    ]
    assert len(rooms) > 5
    for rows in [file for room in rooms for file in room.glob("*.py") if file.stem != "__init__"]:
        place = f"_ops/{rows.relative_to(cases).as_posix()}"
        assert (PACKAGE / place).exists(), place
        assert (ast.get_docstring(tree(rows)) or "") == f"Rows for tapefacade/{place}."


# Texts that stand twice though they are not one fact.
EQUAL_BY_CHANCE = {
    "module {} has no attribute {}": "Python's words",
    "<tf.Tensor {} shape={} dtype={}>": "a representation: tensors and their symbols in v1",
    'Tensor("{}", shape={}, dtype={})': "a representation: tensors and symbols of a program",
    "tf.Tensor({}, shape={}, dtype={})": "a representation, in an error text",
    "{} object has no attribute {}": "Python's words, for three unrelated classes",
}


def sentences(path: pathlib.Path) -> Iterator[tuple[str, int]]:
    """The texts of a module that are no docstrings, with their lines; `{}` stands for values."""
    within = {id(v) for n in nodes(path) if isinstance(n, ast.JoinedStr) for v in n.values}
    within |= {id(n.value) for n in nodes(path) if isinstance(n, ast.Expr)}
    for node in nodes(path):
        if id(node) in within:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [v.value if isinstance(v, ast.Constant) else "{}" for v in node.values]
            yield "".join(parts), node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, node.lineno


def test_no_sentence_is_written_twice():
    """What two ops say is a constant or function that both import (`_core/error_texts.py`)."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for text, line in sentences(path):
            if len(text) >= 25 and " " in text.strip() and text not in EQUAL_BY_CHANCE:
                places.setdefault(text, []).append(f"{path.relative_to(PACKAGE)}:{line}")
    assert {text: found for text, found in places.items() if len(found) > 1} == {}
