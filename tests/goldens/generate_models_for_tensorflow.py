"""Has TensorFlow load what tapefacade saves, and stores what it was and what TensorFlow found.

python tests/goldens/generate_models_for_tensorflow.py
"""

import json
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]
GOLDENS = HERE / "models_for_tensorflow.json"


def main() -> None:
    import tensorflow
    from models_for_tensorflow import MODELS, saved
    from programs.program import encoded

    import tapefacade

    stored = {}
    for name in MODELS:
        with tempfile.TemporaryDirectory() as directory:
            written, ask = saved(tapefacade, name, directory)
            loaded = tensorflow.saved_model.load(directory)
            stored[name] = {
                "written": written, "answers": encoded(tensorflow, ask(loaded, tensorflow)),
                "served": served(tensorflow, directory),
            }  # fmt: skip
    GOLDENS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def served(tensorflow, directory):
    """What the graph computes where it is run as servers do, with ones for all inputs."""
    found = {}
    v1 = tensorflow.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        graph = v1.saved_model.load(session, ["serve"], directory)
        for name, signature in sorted(graph.signature_def.items()):
            feeds = {
                tensor.name: [1] * max(1, tensor.tensor_shape.dim[0].size)
                if len(tensor.tensor_shape.dim) == 1 else [[1, 1]]
                for tensor in signature.inputs.values()
            }  # fmt: skip
            fetched = {key: tensor.name for key, tensor in sorted(signature.outputs.items())}
            found[name] = {k: v.tolist() for k, v in session.run(fetched, feeds).items()}
    return found


if __name__ == "__main__":
    main()
