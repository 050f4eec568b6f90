"""Writes what TensorFlow prints: PYTHONPATH=tests python tests/goldens/generate_printing.py."""

import json
import pathlib
import tempfile

import numpy as np
import tensorflow as tf
from cases_printing import calls, printed


def main() -> None:
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, call in enumerate(calls()):
            path = pathlib.Path(folder) / str(number)
            texts[" ".join(call)] = printed(tf, np, path, *call)
    golden = pathlib.Path(__file__).with_name("printing.json")
    golden.write_text(json.dumps(texts, indent=0) + "\n")


if __name__ == "__main__":
    main()
