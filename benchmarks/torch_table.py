"""Which workloads have a form in PyTorch; read without importing it."""

NAMES = ()
