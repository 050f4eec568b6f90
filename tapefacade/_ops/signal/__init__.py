"""Fourier and cosine transforms, windows, spectra: `tf.signal`."""
