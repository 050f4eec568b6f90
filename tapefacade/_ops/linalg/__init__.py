"""Products, factorizations and equations of matrices: `tf.linalg`."""
