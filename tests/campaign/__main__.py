"""Runs the campaign, or a part of it, and reports counts.

    cd tests && python -m campaign                     all of it, some hours
    cd tests && python -m campaign files --count 50    one part, shorter
    cd tests && python -m campaign --short             what the test suite runs of it

Parts: `files` (damaged files of every format), `kills` (a process killed while it saves),
`programs` (random programs, compared with a naive tape, in threads too), `tensorflow` (random
programs, compared with the TensorFlow of the Python that `CAMPAIGN_TENSORFLOW` names), `growth`
(the memory of training with changing shapes, functions and models).
"""

import argparse
import sys
import time

from campaign import files, growth, kills, programs, tensorflow_programs

PARTS = {
    "files": files,
    "kills": kills,
    "programs": programs,
    "tensorflow": tensorflow_programs,
    "growth": growth,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m campaign", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all of them by default")
    parser.add_argument("--count", type=int, help="cases of each kind; seconds of `growth`")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--short", action="store_true", help="a few cases of each kind")
    chosen = parser.parse_args()
    failures = 0
    for name in chosen.parts or PARTS:
        part, start = PARTS[name], time.monotonic()
        count = chosen.count or (part.SHORT_COUNT if chosen.short else part.COUNT)
        for line, is_failure in part.run(count, chosen.seed):
            failures += is_failure
            print(f"{name}: {line}", flush=True)
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
    sys.exit(f"{failures} failures" if failures else 0)


if __name__ == "__main__":
    main()
