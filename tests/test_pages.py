"""What `notebooks/check_pages.py`, which continuous integration runs, finds wrong with pages."""

import importlib.util
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "notebooks"
if not FOLDER.exists():
    pytest.skip("needs a checkout", allow_module_level=True)

specification = importlib.util.spec_from_file_location("check_pages", FOLDER / "check_pages.py")
check_pages = importlib.util.module_from_spec(specification)
specification.loader.exec_module(check_pages)

STYLE = '<link rel="stylesheet" href="_static/pages.css">'
PAGE = f"<html>{STYLE}<div class='toc-tree'></div><math></math><a href='https://x.org'>x</a></html>"
INDEX = "".join(f"<span class='pre'>{name}</span>" for name in
                ("tf.GradientTape", "tf.math.log", "tf.nn.conv2d"))  # fmt: skip


@pytest.fixture
def pages(tmp_path):
    (tmp_path / "reference").mkdir()
    landing = "tapefacade demo tapefacade run chart_overview coverage.html changes.html"
    for name, text in {
        "index.html": PAGE + landing,
        "reference/index.html": PAGE + INDEX,
        "reference/coverage.html": PAGE + "tf.linalg",
        "reference/tf.math.html": PAGE,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_good_pages_have_no_mistakes(pages):
    assert list(check_pages.mistakes(pages)) == []


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a.html", PAGE + '<script src="https://cdn.org/m.js"></script>', "loads https://cdn.org"),
        ("a.html", PAGE + '<img src="//cdn.org/m.png">', "loads //cdn.org/m.png"),
        ("a.html", PAGE.replace(STYLE, ""), "has not our style sheet"),
        ("a.html", PAGE + r"<p>\frac{1}{2}</p>", "shows LaTeX"),
        ("reference/tf.math.html", PAGE + "x" * 300_000, "of 300,000 at most"),
        ("reference/index.html", PAGE + INDEX + "x" * 300_000, "of 300,000 at most"),
        ("reference/tf.math.html", PAGE.replace("toc-tree", ""), "has no table of contents"),
        ("reference/index.html", PAGE, "has no line for tf.GradientTape"),
        ("reference/coverage.html", PAGE, "has no tf.linalg"),
        ("index.html", PAGE, "has no tapefacade demo"),
    ],
)
def test_mistakes_are_found(pages, name, text, wanted):
    (pages / name).write_text(text)
    assert any(m.startswith(name) and wanted in m for m in check_pages.mistakes(pages))


def test_wide_code_scrolls_and_tables_keep_their_columns():
    style = (FOLDER / "static" / "pages.css").read_text(encoding="utf-8")
    rules = dict(rule.split("{", 1) for rule in style.split("}") if "{" in rule)
    (code,) = [body for names, body in rules.items() if ".content pre" in names]
    (table,) = [body for names, body in rules.items() if names.strip().endswith(".content table")]
    assert "overflow-x: auto" in code
    assert "overflow-x: auto" in table
