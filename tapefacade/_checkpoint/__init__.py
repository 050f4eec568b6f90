"""Values in files: checkpoints, and saved models."""
