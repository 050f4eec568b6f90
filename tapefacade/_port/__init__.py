"""Programs written for TensorFlow, run on this package."""
