"""Regular expressions are RE2's."""

import sys
import time

import pytest

import tapefacade as tf


def test_the_time_grows_with_the_text_only():
    """Where a matcher goes back and tries again, this takes 2 ** 40 steps."""
    start = time.process_time()
    text = "a" * 40 + "b"
    assert tf.strings.regex_replace(text, "(a+)+$", "x").numpy() == text.encode()
    assert not tf.strings.regex_full_match(text, "(a+)+").numpy()
    assert time.process_time() - start < 5


def test_what_to_install_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)  # what makes an import fail
    for call in (
        lambda: tf.strings.regex_replace("a", "a", "b"),
        lambda: tf.strings.regex_full_match("a", "a"),
    ):
        with pytest.raises(ImportError, match=r"need google-re2.*`text` brings: pip install '"):
            call()


def test_keras_says_so_too(monkeypatch):
    pytest.importorskip("keras")
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(ImportError, match=r"`text` brings: pip install '"):
        tf.keras.layers.TextVectorization().adapt(["Some words", "more words"])
