"""What a program tells about itself: `tf.summary`."""
