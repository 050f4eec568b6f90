"""`tape.drawing`: the boxes, edges and the path of a gradient, and the picture as SVG."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from steps import counted, settle

import tapefacade as tf

SVG = "{http://www.w3.org/2000/svg}"


def box(drawing, text):
    (found,) = [n for n, one in enumerate(drawing.boxes) if text in "  ".join(one.text)]
    return found


def state(drawing, source, target):
    pair = box(drawing, source), box(drawing, target)
    return next((e.state for e in drawing.edges if (e.source, e.target) == pair), None)


def picture(drawing):
    return ElementTree.fromstring(drawing.svg)


def classes(drawing, tag):
    return [e.get("class", "") for e in picture(drawing).iter(f"{SVG}{tag}")]


def test_the_edge_at_which_a_gradient_stops_is_red():
    w, scale = tf.Variable(np.eye(4, dtype=np.float32), name="w"), tf.Variable(2.0, name="scale")
    x = tf.ones([3, 4])
    with tf.GradientTape() as tape:
        h = tf.tanh(x @ w) * scale  # before
        labels = tf.argmax(h, 1)  # here
        y = tf.reduce_sum(tf.cast(labels, tf.float32))  # after
    drawing = tape.drawing(y, [w, scale])
    before, here, after = [
        drawing.boxes[box(drawing, f"# {t}")] for t in ("before", "here", "after")
    ]
    assert [b.state for b in (before, here, after)] == ["path", "broken", "plain"]
    assert here.note == "gives int64[3]"
    assert here.text[1] == "tf.math.argmax"
    assert state(drawing, "w  float32[4, 4] (watched)", "# before") == "path"
    assert state(drawing, "scale  float32 (watched)", "# before") == "path"
    assert state(drawing, "# before", "# here") == "broken"
    assert state(drawing, "# here", "# after") == "plain"
    assert drawing.target == box(drawing, "# after")
    assert sum(name == "edge broken" for name in classes(drawing, "path")) == 1
    assert any(
        "the gradient stops: gives int64[3]" in (e.text or "") for e in picture(drawing).iter()
    )
    assert "the gradient stops at test_drawings.py" in repr(drawing)
    assert "Use functions that have a gradient" in drawing._repr_html_()


def test_the_path_of_a_gradient_leaves_out_what_does_not_lead_to_the_target():
    x, other = tf.Variable([1.0, 2.0], name="x"), tf.Variable([1.0, 2.0], name="other")
    with tf.GradientTape() as tape:
        a = tf.sin(x)  # a
        b = tf.cos(a)  # b
        c = tf.exp(a)  # c
        d = tf.round(c) * other  # d
        y = b + d  # y
    drawing = tape.drawing(y, x)
    states = {name: drawing.boxes[box(drawing, f"# {name}")].state for name in "abcdy"}
    assert states == {"a": "path", "b": "path", "c": "plain", "d": "plain", "y": "path"}
    assert state(drawing, "# a", "# b") == "path"
    assert state(drawing, "# a", "# c") == "plain"
    assert state(drawing, "other  float32[2]", "# d") == "plain"
    everything = tape.drawing()
    assert {everything.boxes[box(everything, f"# {name}")].state for name in "abcdy"} == {"path"}
    assert everything.target is None
    assert tape.gradient(y, x) is not None
    assert tape.drawing(y, x).boxes == drawing.boxes  # of a tape that has been used


def test_a_source_that_is_not_watched_is_red():
    x, w = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0], name="w")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * w)  # product
    drawing = tape.drawing(y, [x, w])
    value = drawing.boxes[box(drawing, "value  float32[2]")]
    assert (value.state, value.note) == ("broken", "the tape does not watch it")
    assert state(drawing, "value  float32[2]", "# product") == "broken"
    assert state(drawing, "w  float32[2] (watched)", "# product") == "path"


def test_repeated_lines_are_drawn_once_in_a_frame():
    w, y = tf.Variable(np.eye(4, dtype=np.float32), name="w"), tf.ones([2, 4])
    with tf.GradientTape() as tape:
        for _ in range(50):
            y = y @ w  # product
            y = tf.tanh(y)  # tanh
        y = tf.reduce_sum(y)
    drawing = tape.drawing(y)
    assert sum(one.kind == "line" for one in drawing.boxes) == 3
    assert state(drawing, "# product", "# tanh") == state(drawing, "# tanh", "# product") == "path"
    texts = [e.text for e in picture(drawing).iter(f"{SVG}text")]
    assert any(re.fullmatch(r"50 times lines \d+-\d+, 2 ops", text) for text in texts)
    assert classes(drawing, "rect").count("fold") == 1
    assert sum("target" in name for name in classes(drawing, "g")) == 1


def test_layers_of_equal_weights_names_are_boxes_of_their_own(tmp_path):
    model = tf.keras.Sequential(
        [tf.keras.Input((4,)), *(tf.keras.layers.Dense(4, name=f"d{n}") for n in range(3))]
    )
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(tf.ones([2, 4])))
    drawing = tape.drawing(y, model.trainable_variables)
    kernels = [n for n, one in enumerate(drawing.boxes) if one.text[0] == "kernel"]
    assert len(kernels) == 3
    used = [next(e.target for e in drawing.edges if e.source == n) for n in kernels]
    assert [drawing.boxes[row].text[0].rpartition("layer ")[2] for row in used] == [
        "d0)",
        "d1)",
        "d2)",
    ]
    drawing.save(tmp_path / "tape.html")
    page = (tmp_path / "tape.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert re.findall(r"https?://[\w./]+", page) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in page
    assert page.count("<button") == 4


def test_500_ops_on_lines_of_their_own_are_all_there():
    x = tf.Variable([1.0, 2.0], name="x")
    lines = "\n".join(f"y = tf.sin(y) * {n}.5" for n in range(250))
    space = {"tf": tf, "y": x}
    with tf.GradientTape() as tape:
        exec(compile(lines, "many.py", "exec"), space)
    drawing = tape.drawing(space["y"], x)
    found = picture(drawing)
    boxes = [e for e in found.iter(f"{SVG}g") if "box line" in e.get("class")]
    tops = [float(e.find(f"{SVG}rect").get("y")) for e in boxes]
    assert len(boxes) == 250
    assert tops == sorted(tops)
    assert np.diff(tops).min() >= 44  # no box on another
    assert all("path" in e.get("class") for e in boxes)
    _, _, width, height = map(float, found.get("viewBox").split())
    assert height > tops[-1]
    assert width < 1200
    assert len(drawing._repr_html_()) < 250_000


def test_texts_are_escaped_and_what_is_empty_is_drawn():
    with tf.GradientTape() as tape:
        pass
    assert picture(tape.drawing()).tag == f"{SVG}svg"
    assert "0 ops" in tape._repr_html_()
    x = tf.Variable(1.0, name="x")
    with tf.GradientTape() as tape:
        y = tf.cast(x < 2.0, tf.float32)  # <&">
    assert any('<&">' in one.text[0] for one in tape.drawing(y, x).boxes)
    assert "<&" not in tape.drawing(y, x).svg
    assert picture(tape.drawing(y, x)) is not None


def test_nothing_is_computed_and_errors_are_those_of_explain():
    x = tf.Variable([1.0, 2.0], name="x")

    def step(drawn):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        if drawn:
            tape.drawing(y, x)._repr_html_()
        return tape.gradient(y, x).numpy()

    for _ in range(6):
        step(False)
    settle()
    with counted() as plain:
        step(False)
    with counted() as drawn:
        step(True)
    assert vars(plain) == vars(drawn)
    with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be used"):
        tf.GradientTape().drawing()
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(TypeError, match="Cannot convert"):
        tape.drawing(y, None if y is None else [None])
