"""Asks TensorFlow the tables of tests/cases_numpy_behavior.py and stores its answers, as JSON.

python tests/goldens/generate_numpy_behavior.py

Each table is asked in a process of its own, for TensorFlow cannot take the behaviour back.
"""

import json
import os
import pathlib
import subprocess
import sys
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))


def main() -> None:
    from cases_numpy_behavior import TABLES

    tables = []
    for mode in TABLES:
        command = [sys.executable, __file__, mode]
        asked = subprocess.run(command, check=True, capture_output=True, text=True)
        tables.append(f"{json.dumps(mode)}: {asked.stdout}")
    (HERE / "numpy_behavior.json").write_text("{\n" + ",\n".join(tables) + "}\n")


def ask(mode: str) -> None:
    import tensorflow as tf
    from cases_numpy_behavior import ARGUMENTS, answers

    warnings.simplefilter("ignore")
    tf.experimental.numpy.experimental_enable_numpy_behavior(**ARGUMENTS[mode])
    found = answers(tf, mode)
    lines = [f"{json.dumps(text)}: {json.dumps(answer)}" for text, answer in found.items()]
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main() if len(sys.argv) == 1 else ask(sys.argv[1])
