"""`tf.keras`: Keras 3, imported when it is first used."""

from tapefacade._keras.lazy_namespaces import become_keras as _become_keras

_become_keras()
