"""Cases for tensorflow_probability, which run on TensorFlow and on tapefacade."""
