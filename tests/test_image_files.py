"""Image files where a library that decodes them is missing."""

import sys

import pytest

import tapefacade as tf


def test_without_simplejpeg_jpeg_files_are_not_decoded(monkeypatch):
    contents = tf.io.encode_jpeg(tf.zeros([2, 2, 3], tf.uint8))
    monkeypatch.setitem(sys.modules, "simplejpeg", None)
    with pytest.raises(ImportError, match=r"need simplejpeg.*`image` brings: pip install '"):
        tf.io.decode_jpeg(contents)


@pytest.fixture
def no_pillow(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)  # what makes an import fail


def test_what_to_install_is_said(no_pillow):
    contents = tf.io.encode_png(tf.zeros([2, 2, 3], tf.uint8))
    for call in (
        lambda: tf.io.decode_png(contents),
        lambda: tf.io.decode_image(contents),
        lambda: tf.io.encode_jpeg(tf.zeros([2, 2, 3], tf.uint8)),
        lambda: tf.io.decode_jpeg(b"\xff\xd8\xff"),
    ):
        with pytest.raises(ImportError, match=r"`image` brings: pip install '"):
            call()


def test_deep_png_needs_no_pillow(no_pillow):
    image = tf.cast(tf.reshape(tf.range(24) * 2000, [2, 4, 3]), tf.uint16)
    back = tf.io.decode_png(tf.io.encode_png(image), dtype=tf.uint16)
    assert bool(tf.reduce_all(back == image))
