"""The notebooks as they are stored, and how `notebooks/execute.py` compares their outputs."""

import base64
import importlib.util
import io
import json
import pathlib
import re

import numpy as np
import pytest
from PIL import Image

CHECKOUT = pathlib.Path(__file__).parents[1]
FOLDER = CHECKOUT / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))

specification = importlib.util.spec_from_file_location("comparing", FOLDER / "comparing.py")
comparing = importlib.util.module_from_spec(specification)
specification.loader.exec_module(comparing)

each = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def codes(path):
    return [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]


def test_there_are_twelve_of_them():
    assert [path.name[:2] for path in PATHS] == [f"{number:02}" for number in range(1, 13)]
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in PATHS if f"(notebooks/{path.name})" not in readme] == []


@each
def test_outputs_are_kept_and_in_order(path):
    cells = codes(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert any(cell["outputs"] for cell in cells)
    pictures = [o for cell in cells for o in cell["outputs"] if "image/png" in o.get("data", {})]
    assert pictures
    assert path.stat().st_size < 400_000


@each
def test_nothing_of_the_machine_is_in_them(path):
    text = re.sub(r'"image/png": "[^"]*"', "", path.read_text(encoding="utf-8"))
    assert not re.findall(r"/(?:tmp|home|root|work|Users)/[\w./-]*", text)
    assert "ipykernel" not in text
    assert "\\u001b[" not in text


@each
def test_errors_are_shown_on_purpose_only(path):
    for cell in codes(path):
        tags = cell["metadata"].get("tags", ())
        if "raises-exception" not in tags:
            assert not [o for o in cell["outputs"] if o["output_type"] == "error"]
        if "shows-stderr" not in tags:
            assert not [o for o in cell["outputs"] if o.get("name") == "stderr"]


@each
def test_links_lead_somewhere(path):
    texts = ["".join(c["source"]) for c in read(path)["cells"] if c["cell_type"] == "markdown"]
    headings = {h.replace(" ", "-") for t in texts for h in re.findall(r"(?m)^#+ (.*)$", t)}
    for link in re.findall(r"\]\(([^)]+)\)", "\n".join(texts)):
        if link.startswith("#"):
            assert link[1:] in headings
        elif not link.startswith("https://"):
            assert (FOLDER / link.partition("#")[0]).exists()
    assert re.search(r"(?m)^## What to remember$", "\n".join(texts))


# Comparing.


def notebook(*outputs, tags=()):
    cell = {"cell_type": "code", "metadata": {"tags": list(tags)}, "outputs": list(outputs)}
    return {"cells": [{"cell_type": "markdown", "metadata": {}}, cell]}


def printed(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def picture(array):
    file = io.BytesIO()
    Image.fromarray(array).save(file, "png")
    data = {"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": "<Figure>"}
    return {"output_type": "display_data", "data": data}


def differ(old, new, **kwargs):
    return list(comparing.differences(notebook(old, **kwargs), notebook(new, **kwargs)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("loss 0.5000", "loss 0.5004"),
        ("tf.Tensor(1.0, shape=(2,))", "tf.Tensor(1.0,  shape=(2,))"),
        ("1,000 steps", "1,001 steps"),
        ("nan inf -inf", "nan inf -inf"),
        ("0.0", "1e-7"),
        ("step 1\rstep 2", "step 2"),
    ],
)
def test_equal_texts(old, new):
    assert differ(printed(old), printed(new)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("loss 0.50", "loss 0.52"),
        ("loss 0.5", "lost 0.5"),
        ("[1. 2.]", "[1. 2. 3.]"),
        ("None", "1.0"),
        ("1.0", "-1.0"),
        ("1.0", "nan"),
        ("12 ms", "12 s"),
    ],
)
def test_texts_that_differ(old, new):
    (found,) = differ(printed(old), printed(new))
    assert found.startswith("cell 1:")
    assert new in found


def test_times_may_be_any():
    tags = ["varies"]
    assert differ(printed("took 850 ms"), printed("took 1.2 s"), tags=tags) == []
    assert differ(printed("took 850 ms"), printed("took 850 steps"), tags=tags) != []
    assert differ(printed("took 850 ms"), printed("gave 850 ms"), tags=tags) != []


def test_other_kinds_of_output():
    shown = {"output_type": "execute_result", "data": {"text/plain": "1.0"}}
    assert differ(printed("1.0"), shown) != []
    failed = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["a"]}
    assert differ(failed, {**failed, "traceback": ["b"]}) == []
    assert differ(failed, {**failed, "evalue": "yes"}) != []
    assert list(comparing.differences(notebook(shown), notebook())) != []


def test_pictures():
    plain = np.full((240, 320, 3), 255, np.uint8)
    noisy = plain.copy()
    noisy[::7, ::5] = 250
    marked = plain.copy()
    marked[100:120, 100:130] = 0
    assert differ(picture(plain), picture(noisy)) == []
    assert differ(picture(plain), picture(marked)) == ["cell 1: another picture"]
    assert differ(picture(plain), picture(marked), tags=["varies"]) == []
