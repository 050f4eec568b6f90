"""Asks TensorFlow and tensorflow_probability the cases of tests/probability, and stores answers.

python tests/goldens/generate_probability.py (in an environment with TensorFlow and tf-keras)
"""

import os
import pathlib
import sys

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))


def main() -> None:
    import tensorflow as tf
    import tensorflow_probability as tfp
    from probability.answers import CHECKED, asked

    stored = {}
    for name in CHECKED:
        for what, found in asked(tf, tfp, name).items():
            parts = [found] if isinstance(found, str) else found
            kind = "raises" if isinstance(found, str) else "value"
            for k, part in enumerate(parts):
                stored[f"{name}|{what}|{kind}|{k}"] = np.asarray(part)
        print(name)
    np.savez_compressed(HERE / "probability.npz", **stored)


if __name__ == "__main__":
    main()
