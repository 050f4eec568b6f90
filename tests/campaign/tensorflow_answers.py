"""Runs random programs in TensorFlow, in a process of its own, for `tensorflow_programs`.

Started by a Python that has TensorFlow: it reads programs from its standard input as pickles, one
after the other, and writes what each gives to its standard output. The programs are those of
`programs_at_random` and `functions_at_random`, in which the package is TensorFlow here.
"""

import os
import pathlib
import pickle
import sys
import warnings
from typing import Any


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is no answer
    os.environ.update(
        TF_CPP_MIN_LOG_LEVEL="3",
        CUDA_VISIBLE_DEVICES="-1",
        TF_ENABLE_ONEDNN_OPTS="0",
        JAX_PLATFORMS="cpu",
    )
    warnings.simplefilter("ignore")
    import tensorflow as tf  # noqa: TID251 - this file runs where TensorFlow is

    tf.get_logger().setLevel("ERROR")
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    sys.modules["tapefacade"] = tf
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    import functions_at_random as functions
    import programs_at_random as tapes

    def look(machine: Any, value: Any) -> None:
        if tf.executing_eagerly():  # a value of a function cannot be looked at in TensorFlow
            value.numpy()

    tapes.Facade.look = look  # type: ignore[method-assign]
    machines = {"tapes": tapes.Facade, "functions": functions.Compiled}
    while True:
        try:
            kind, program = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: Any = machines[kind]().results(program)
        except Exception as error:  # told as an answer
            answer = f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
