"""Images, and the files that hold them: `tf.image`."""
