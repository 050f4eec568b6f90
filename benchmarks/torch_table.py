"""Which workloads have a form in PyTorch; read without importing PyTorch."""

NAMES = (
    "mlp_3x64", "mlp_8x64", "mlp_3x512", "unlooked", "adam", "cnn", "lstm", "transformer",
    "variables", "order_1", "order_2", "order_3", "order_4", "equation", "burgers", "jacobian",
    "batch_jacobian", "hessian", "maml", "new_data", "loop", "scan", "mlp_look_last",
    "mlp_look_first",
)  # fmt: skip
