"""Writes workers.json: what the programs of `tests/worker_programs.py` find in two workers.

python tests/goldens/generate_workers.py     # with TensorFlow
"""

import json
import os
import pathlib
import socket
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
WORKERS = 2
RUN = "import tensorflow, worker_programs as w; w.main(tensorflow, w.PROGRAMS)"


def main():
    places = [socket.create_server(("localhost", 0)) for _ in range(WORKERS)]
    addresses = [f"localhost:{place.getsockname()[1]}" for place in places]
    for place in places:
        place.close()
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", RUN], stdout=subprocess.PIPE, text=True, cwd=HERE.parent,
            env={
                **os.environ, "CUDA_VISIBLE_DEVICES": "-1",
                "TF_CONFIG": json.dumps({
                    "cluster": {"worker": addresses}, "task": {"type": "worker", "index": index},
                }),
            },
        )
        for index in range(WORKERS)
    ]  # fmt: skip
    found = []
    for worker in workers:
        lines = worker.communicate()[0].splitlines()
        found += [json.loads(line[7:]) for line in lines if line.startswith("found: ")]
    (HERE / "workers.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
