"""The logger that TensorFlow's messages go to."""

import logging


def get_logger() -> logging.Logger:
    """Returns the logger named "tensorflow", which all warnings of the library go to.

    >>> tf.get_logger().name
    'tensorflow'
    """
    return logging.getLogger("tensorflow")
