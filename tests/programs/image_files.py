"""Image files: decoding, encoding, formats told apart, broken files."""

import base64

from programs.program import caught


def _file(*lines):
    return base64.b64decode("".join(lines))


JPEG = _file(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZG"
    "NywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09P"
    "T09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAKAAwDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAA"
    "BQb/xAAdEAABBAIDAAAAAAAAAAAAAAABAAIFIgQhFCQy/8QAFQEBAQAAAAAAAAAAAAAAAAAAAQL/xAAZEQACAwEA"
    "AAAAAAAAAAAAAAAAAgEDBRL/2gAMAwEAAhEDEQA/AAIOP81VziR/XbVBwgFdBXOIBx26CHWCtXNq7P/Z"
)
GREY_JPEG = _file(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZG"
    "NywtQFdBRkxOUlNSMj5aYVpQYEpRUk//wAALCAADAAUBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABkQAAEF"
    "AAAAAAAAAAAAAAAAAAIAAQUUMv/aAAgBAQAAPwAhHAFfLL//2Q=="
)
CMYK_JPEG = _file(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAQCwwODAoQDg0OEhEQExgoGhgWFhgxIyUdKDozPTw5Mzg3QEhcTkBEV0U3"
    "OFBtUVdfYmdoZz5NcXlwZHhcZWdj/8AAFAgABAAIBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAYF"
    "B//EABwQAAEDBQAAAAAAAAAAAAAAAAADBCEFBhRCUv/aAA4EQwBNAFkASwAAPwA3gN+CJbmgfpqCcQaAf//Z"
)
PALETTE_PNG = _file(
    "iVBORw0KGgoAAAANSUhEUgAAAAYAAAAEAgMAAADQaqbQAAAADFBMVEUmX0ImPzImKicmCxZtl6mzAAAAA3RSTlP/"
    "/wDXyg1BAAAAFElEQVR42mP+eYThJwMTAwPTBwYAHEUDrj/0eQIAAAAASUVORK5CYII="
)
INTERLACED_PNG = _file(
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAFEAIAAAHKWDZZAAAAhUlEQVR42mM4v0/0re57Bm6OJ+4rlzDca5vKwSXG"
    "YLDr6NfKcobsHhA8uBMEGWzm6+WeVZCQCOXOe8gwzQIEPQ6CIMPUs3aLK5azH3FU3PKbgYFBuENdwGqGn0LiilKD"
    "jh1zHNafOBxw7QbDsrpN1vfavd5/CGJIFN7w0+TjIp8U5WUBiQBU7zlXhQGxvAAAAABJRU5ErkJggg=="
)
FILTERED_PNG = _file(
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAAFEAQAAAB66EJqAAAATElEQVR42gFBAL7/AIULX85A7hdCm82pFgGFLO50"
    "aGFHlq4jbEMCukte4I8ziNmvMReSA4giEdPSu1qDgSTisgRa2HfOOGz9fRIqxcaPoR0rHQHnIAAAAABJRU5ErkJg"
    "gg=="
)
GIF = _file(
    "R0lGODlhBAADAIEAAAAAAP8AAAD/AAoU+iH5BAEFAAEALAAAAAAEAAMAAAIIRKgxocSJAQsAIfkEAQUAAAAsAQAB"
    "AAIAAgAAAgMcCLEAOw=="
)
BMP = _file(
    "Qk1OAAAAAAAAADYAAAAoAAAAAwAAAAIAAAABABgAAAAAABgAAADEDgAAxA4AAAAAAAAAAAAACwAZFhUZISoZAAAA"
    "AAAACxUAFioAAAAA"
)
WEBP = _file("UklGRiwAAABXRUJQVlA4TCAAAAAvBcAAALmM6H/sIqL/AYVsI0Ancf6wP8JkzEJMAKCKDw==")

ACCURATE = {"dct_method": "INTEGER_ACCURATE"}


def jpeg(tf, np):
    decode = tf.io.decode_jpeg
    return {
        "image": decode(JPEG, **ACCURATE),
        "grey": decode(tf.constant(JPEG), channels=1, **ACCURATE)[:2],
        "smaller": [decode(JPEG, ratio=n, **ACCURATE).shape for n in (2, 4, 8)],
        "an eighth": decode(JPEG, ratio=8),
        "of grey": decode(GREY_JPEG, **ACCURATE),
        "as colours": decode(GREY_JPEG, channels=3, **ACCURATE)[0],
        "inks": decode(CMYK_JPEG, **ACCURATE)[:2],
        "part": tf.io.decode_and_crop_jpeg(GREY_JPEG, [1, 2, 2, 3], **ACCURATE),
        "part of colours": tf.io.decode_and_crop_jpeg(JPEG, [2, 3, 4, 1], channels=3).shape,
        "shapes": [tf.io.extract_jpeg_shape(f) for f in (JPEG, GREY_JPEG, CMYK_JPEG)],
        "long": tf.io.extract_jpeg_shape(np.array(JPEG, object), tf.int64),
        "names": tf.image.decode_jpeg is tf.io.decode_jpeg,
    }


def jpeg_methods(tf, np):
    decode = tf.io.decode_jpeg
    rows, columns = np.mgrid[:21, :30]
    image = np.stack([rows * columns % 251, rows * 11, columns * 8], axis=-1).astype(np.uint8)
    coloured = tf.io.encode_jpeg(image, quality=60)
    return {
        "fast": decode(JPEG),
        "named": decode(JPEG, dct_method="INTEGER_FAST"),
        "grey": decode(JPEG, channels=1),
        "of grey": decode(GREY_JPEG),
        "not interpolated": [decode(JPEG, fancy_upscaling=False, **m) for m in ({}, ACCURATE)],
        "smaller": [decode(JPEG, ratio=n, **m) for n in (2, 4, 8) for m in ({}, ACCURATE)],
        "smaller, grey": [decode(GREY_JPEG, ratio=n) for n in (1, 2)],
        "any format": tf.io.decode_image(JPEG),
        "flawed": decode(JPEG + b"more"),
        "made here": decode(coloured).shape,
    }


def jpeg_errors(tf, np):
    decode, crop = tf.io.decode_jpeg, tf.io.decode_and_crop_jpeg
    return {
        "empty": caught(decode, b""),
        "other": caught(decode, b"what is this file about?"),
        "broken": caught(decode, JPEG[:300]),
        "channels": caught(decode, JPEG, channels=2),
        "alpha": caught(decode, JPEG, channels=4),
        "ratio": caught(decode, JPEG, ratio=3),
        "method": caught(decode, JPEG, dct_method="x"),
        "vector": caught(decode, [JPEG]),
        "number": caught(decode, 3),
        "outside": caught(crop, JPEG, [2, 3, 40, 1]),
        "window": caught(crop, JPEG, [2, 3, 4]),
        "window rank": caught(crop, JPEG, [[2, 3, 4, 1]]),
        "crop of png": caught(crop, PALETTE_PNG, [0, 0, 1, 1]),
        "shape of png": caught(tf.io.extract_jpeg_shape, PALETTE_PNG),
        "shape type": caught(tf.io.extract_jpeg_shape, JPEG, tf.float32),
        "inks to grey": caught(decode, CMYK_JPEG, channels=1),
    }


def truncated_jpeg(tf, np):
    short = JPEG[:-12]
    return [
        caught(tf.io.decode_jpeg, short),
        tf.io.decode_jpeg(short, try_recover_truncated=True).shape,
    ]


def told_apart(tf, np):
    files = [JPEG, PALETTE_PNG, GIF, b"", b"\xff\xd8\xff"]
    return [tf.io.is_jpeg(files[0]), tf.io.is_jpeg(files), tf.image.is_jpeg([files])]


def jpeg_encoding(tf, np):
    image = tf.io.decode_png(PALETTE_PNG, channels=3)
    encode = tf.io.encode_jpeg

    def back(contents):
        return tf.io.decode_jpeg(contents, **ACCURATE)

    return {
        "usual": back(encode(image)),
        "coarse": back(encode(image, quality=0)),
        "progressive": back(encode(image, progressive=True, optimize_size=True)),
        "all colours": back(encode(image, chroma_downsampling=False, quality=100)),
        "grey": back(encode(image[..., :1], format="grayscale")),
        "head": encode(image, density_unit="cm", x_density=5, y_density=7).numpy()[:20].hex(),
        "text": b"<x/>" in encode(image, xmp_metadata="<x/>").numpy(),
        "python": back(encode([[[1]]])),
        "type": encode(image).dtype,
    }


def jpeg_encoding_errors(tf, np):
    image, encode = np.zeros((2, 2, 3), np.uint8), tf.io.encode_jpeg
    return [
        caught(encode, image, quality=101),
        caught(encode, image, quality=-1),
        caught(encode, image[None]),
        caught(encode, image[..., :2]),
        caught(encode, image, format="grayscale"),
        caught(encode, image, format="x"),
        caught(encode, image, density_unit="x"),
        caught(encode, tf.zeros([2, 2, 3])),
    ]


def png(tf, np):
    decode = tf.io.decode_png
    deep = {"dtype": tf.uint16}
    return {
        "palette": [decode(PALETTE_PNG, channels=n) for n in (0, 1, 3, 4)],
        "palette of 16 bits": decode(PALETTE_PNG, channels=1, **deep),
        "interlaced": [decode(INTERLACED_PNG, channels=n, **deep) for n in (0, 1, 4)],
        "interlaced of 8 bits": [decode(INTERLACED_PNG, channels=n) for n in (0, 1)],
        "all filters": [decode(FILTERED_PNG, channels=n, **deep) for n in (0, 1, 3)],
        "channels None": decode(FILTERED_PNG, None).shape,
        "names": tf.image.decode_png is tf.io.decode_png,
    }


def png_encoding(tf, np):
    found = {}
    for channels in (1, 2, 3, 4):
        for kind in (tf.uint8, tf.uint16):
            numbers = tf.range(5 * 4 * channels) ** 2 * 7
            image = tf.cast(tf.reshape(numbers % 60000, [5, 4, channels]), kind)
            for compression in (-1, 0, 9):
                contents = tf.io.encode_png(image, compression)
                back = tf.io.decode_png(contents, dtype=kind)
                found[f"{channels} {kind.name} {compression}"] = tf.reduce_all(back == image)
    batch = tf.io.encode_png(tf.zeros([2, 1, 3, 3, 1], tf.uint8))
    return found | {"batch": [batch.shape, batch.dtype, batch.numpy()[1, 0][:8].hex()]}


def png_errors(tf, np):
    encode, image = tf.io.encode_png, np.zeros((2, 2, 3), np.uint8)
    return [
        caught(tf.io.decode_png, PALETTE_PNG[:60]),
        caught(tf.io.decode_png, FILTERED_PNG[:60]),
        caught(tf.io.decode_png, PALETTE_PNG, channels=2),
        caught(tf.io.decode_png, PALETTE_PNG, dtype=tf.float32),
        caught(tf.io.decode_png, BMP),
        caught(tf.io.decode_png, GIF),
        caught(tf.io.decode_png, BMP, channels=1),
        caught(encode, image.astype("float32")),
        caught(encode, image[0]),
        caught(encode, np.zeros((2, 2, 5), np.uint8)),
        caught(encode, image, 10),
        caught(encode, image[:0]),
    ]


def gif_bmp_webp(tf, np):
    return {
        "gif": tf.io.decode_gif(GIF),
        "png as gif": tf.io.decode_gif(PALETTE_PNG).shape,
        "bmp": [tf.io.decode_bmp(BMP, channels=n) for n in (0, 3, 4)],
        "webp": [tf.io.decode_webp(WEBP), tf.io.decode_png(WEBP).shape],
        "png as webp": tf.io.decode_webp(PALETTE_PNG).shape,
        "errors": [
            caught(tf.io.decode_gif, GIF[:12]),
            caught(tf.io.decode_gif, BMP),
            caught(tf.io.decode_jpeg, GIF, channels=1),
            caught(tf.io.decode_webp, GIF),
            caught(tf.io.decode_bmp, BMP[:20]),
            caught(tf.io.decode_bmp, BMP[:60]),
            caught(tf.io.decode_bmp, BMP[:28] + b"\x10\x00" + BMP[30:]),
            caught(tf.io.decode_bmp, BMP, channels=1),
            caught(tf.io.decode_bmp, PALETTE_PNG),
            caught(tf.io.decode_webp, WEBP[:40]),
            caught(tf.io.decode_webp, WEBP, channels=4),
            caught(tf.io.decode_webp, WEBP, dtype=tf.float32),
        ],
    }


def any_format(tf, np):
    decode = tf.io.decode_image
    files = {"png": PALETTE_PNG, "deep": INTERLACED_PNG, "bmp": BMP, "gif": GIF}
    kinds = (tf.uint8, tf.uint16, tf.float32, tf.float16, tf.int32)
    found = {
        f"{key} {kind.name}": decode(file, 3, kind)[..., :1, :, :]
        for key, file in files.items()
        for kind in kinds
    }
    return found | {
        "jpeg": [decode(JPEG, dtype=kind).shape for kind in kinds],
        "first frame": decode(GIF, expand_animations=False),
        "webp": [decode(WEBP).shape, decode(WEBP, expand_animations=False).shape],
        "names": tf.image.decode_image is decode,
        "errors": [
            caught(decode, b""),
            caught(decode, b"what is this file about?"),
            caught(decode, GIF, channels=1),
            caught(decode, JPEG, channels=4),
            caught(decode, PALETTE_PNG, channels=5),
            caught(decode, WEBP, dtype=tf.float32),
        ],
    }


def in_a_step(tf, np):
    # Contents come from files or data sets; what follows is computed from the pixels.
    weights = tf.Variable([0.5, 0.25, 0.25])
    with tf.GradientTape() as tape:
        image = tf.image.convert_image_dtype(tf.io.decode_png(PALETTE_PNG, channels=3), tf.float32)
        value = tf.reduce_sum(tf.image.resize(image, [2, 2]) * weights)
    return [value, tape.gradient(value, weights)]
