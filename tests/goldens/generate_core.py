"""Stores what TensorFlow makes of the expressions in `cases_core.py`; run it to renew core.json."""

import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent

if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.path.insert(0, str(HERE.parent))

    import tensorflow as tf
    from cases_core import CASES, NAMES, outcome

    goldens = {expression: outcome(expression, NAMES | {"tf": tf}) for expression in CASES}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in goldens.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (HERE / "core.json").write_text(text)
    sys.stdout.write(f"{len(goldens)} expressions with TensorFlow {tf.__version__}\n")
