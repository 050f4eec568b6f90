"""Strategies of `tf.distribute`: replicas on several devices, of one process or of several."""
