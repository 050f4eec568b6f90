"""Asks TensorFlow what it says of the functions of tests/statements_refused.py, and stores it.

python tests/goldens/generate_statements_refused.py
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
MAX_CHARACTERS = 200


def answer(function, arguments) -> str:
    """Returns the error: its class, and the last line that is about the statement."""
    try:
        function(*arguments)
    except Exception as error:
        kind = type(error).__name__
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        named = [line for line in lines if line.startswith(kind)]
        text = (named or lines)[-1].removeprefix(f"{kind}: ").partition(" from FuncGraph")[0]
        return f"{kind}: {text[:MAX_CHARACTERS]}"
    return ""


def main() -> None:
    import tensorflow as tf
    from statements_refused import functions

    found = {
        name: answer(tf.function(function), arguments)
        for name, (function, arguments) in functions(tf).items()
    }
    (HERE / "statements_refused.json").write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
