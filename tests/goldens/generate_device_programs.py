"""Stores TensorFlow's answers of `tests/device_programs.py`, on 8 logical CPUs.

python tests/goldens/generate_device_programs.py
"""

import json
import os
import pathlib
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = ""
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import device_programs
import tensorflow as tf

(cpu,) = tf.config.list_physical_devices("CPU")
part = tf.config.LogicalDeviceConfiguration()
tf.config.set_logical_device_configuration(cpu, [part] * device_programs.DEVICES)
found = device_programs.answers(tf)
lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in found.items()]
device_programs.STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
