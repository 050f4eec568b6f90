"""What libraries import from `tensorflow.python` and `tf.__internal__`, on our public names.

`table` says where each module's names come from; `modules` makes the modules when they are
imported; the other files hold what has no public name.
"""
