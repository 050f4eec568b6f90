"""Asks TensorFlow every program of tests/programs and stores what it answers, as JSON.

python tests/goldens/generate_programs.py [SUBJECT ...]
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
    import tensorflow as tf
    from programs import SUBJECTS, digest, logical_cpus, programs
    from programs.program import run
    from tensorflow.python.eager.polymorphic_function import polymorphic_function
    from tensorflow.python.platform import tf_logging

    warnings.simplefilter("ignore")
    failed = 0
    wanted = sys.argv[1:] or SUBJECTS
    divided = {subject: logical_cpus(subject) for subject in wanted}
    counts = sorted(set(divided.values()))
    if len(wanted) > 1 and counts != [1]:  # a CPU is divided before the first op, once and for all
        commands = [[subject] for subject in wanted if divided[subject] > 1]
        commands.append([subject for subject in wanted if divided[subject] == 1] or [wanted[0]])
        done = [subprocess.run([sys.executable, __file__, *each]) for each in commands]
        sys.exit(max(process.returncode for process in done))
    if counts[0] > 1:
        (cpu,) = tf.config.list_physical_devices("CPU")
        parts = [tf.config.LogicalDeviceConfiguration()] * counts[0]
        tf.config.set_logical_device_configuration(cpu, parts)
    for subject in wanted:
        answers = {}
        for name, program in programs(subject).items():
            tf_logging._log_counter_per_token.clear()  # "first n times" starts anew
            polymorphic_function._frequent_tracing_detector_manager._detectors.clear()
            try:
                answers[name] = {"program": digest(program), **run(tf, program)}
            except Exception as e:
                failed += 1
                print(f"  {name}: {type(e).__name__}: {e}")
        path = HERE / f"programs_{subject}.json"
        text = ",\n".join(f"{json.dumps(key)}: {json.dumps(answers[key])}" for key in answers)
        path.write_text("{\n" + text + "\n}\n")
        print(f"{subject}: {len(answers)} programs")
    sys.exit(f"{failed} programs fail in TensorFlow." if failed else 0)


if __name__ == "__main__":
    main()
