"""The version of TensorFlow whose behaviour the package follows."""

VERSION = "2.21.0"
GIT_VERSION = "tapefacade"
COMPILER_VERSION = "XLA"
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
