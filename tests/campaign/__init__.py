"""The campaign: long random tests, which `python -m campaign` runs in the folder `tests`."""
