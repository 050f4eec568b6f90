"""Functions under the names of kernels and of older versions, from tables of names."""
