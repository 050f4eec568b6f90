"""A short form of the campaign: `cd tests && python -m campaign` runs the long one."""

import pytest
from campaign import files, growth, kills, programs

# Formats whose readers are quick; the others are left to the long form.
QUICK = [
    "records",
    "example",
    "tensor",
    "json example",
    "csv",
    "png",
    "wav",
    "checkpoint",
    "kept programs",
]


def failures(part, *more):
    return [line for line, is_failure in part.run(part.SHORT_COUNT, 0, *more) if is_failure]


@pytest.mark.parametrize("name", QUICK)
def test_damaged_files_give_clean_errors(name):
    assert not failures(files, [name])


def test_a_killed_save_leaves_a_whole_state():
    assert not failures(kills)


def test_random_programs_give_what_they_should():
    assert not failures(programs)


def test_memory_of_changing_shapes_is_bounded():
    assert not failures(growth)
