"""Keras's JAX backend on tapes: its functions become ops, its variables hold ours.

Keras calls functions of `keras.src.backend.jax`; `tapefacade/_keras/patches.py` puts ours in their
place. How a function of Keras is bridged, also one that a new version of Keras brings:

- A function of `math`, `nn`, `numpy`, `linalg`, `random` or `image` needs nothing: `lift`
  (`lifted_functions.py`) wraps every public function of these modules, and a call of it on tensors
  is recorded as one instruction, computed and differentiated by JAX. What must be left alone is
  listed in `FUNCTIONS_LEFT_ALONE`, in `patches.py`.
- A function of `core` is lifted if its name is in `CORE_FUNCTIONS` or `CORE_FUNCTIONS_OF_INDICES`,
  in `patches.py`.
- Where an op of ours does the same, has TensorFlow's gradient or costs less to record, the name is
  added to a table of `direct_functions.py`: `UNARY`, `BINARY`, `REDUCING` or `OTHERS`.
- A function that calls functions of the user (loops, branches, `rnn`) is written anew in
  `control_flow.py`, one that makes tensors or tells what they are in `conversion.py`, one that
  draws random numbers in `random.py`; `_change`, in `patches.py`, puts them in Keras's place.
- What is no function of the backend (a method of a layer, a data adapter) is changed with
  `PATCHES.set`, so that `undo` can give it back.
- Cross entropies are those of Keras for TensorFlow: of the logits where these are known, in
  `crossentropies.py`.
- What JAX refuses is asked of Keras's functions for TensorFlow: `tensorflow_functions.py`.

A new function is tested by a program in `tests/programs/keras_*.py`; TensorFlow answers it.
"""
