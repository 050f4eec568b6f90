"""Branches and loops: `tf.cond`, `tf.while_loop`, `tf.scan`, `tf.map_fn` and others."""
