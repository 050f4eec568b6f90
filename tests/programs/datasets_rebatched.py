"""Datasets whose batches get another size, and what is known of the sizes then."""


def batches_of_another_size(tf, np):
    of_range = tf.data.Dataset.range
    padded = of_range(1, 5).map(lambda x: tf.range(x)).padded_batch(4, padded_shapes=[None])
    found = []
    for dataset in (padded, of_range(9).batch(4), of_range(9).batch(4, drop_remainder=True)):
        for sizes in (2, [2, 2], [1, 2], 3):
            for drop in (False, True):
                batches = dataset.rebatch(sizes, drop_remainder=drop)
                found.append((repr(batches.element_spec), list(batches)))
    return found


def specs_of_sizes_that_values_decide(tf, np):
    from_datasets = tf.data.Dataset
    ragged = from_datasets.range(1, 6).map(lambda x: tf.range(x))
    padded = ragged.padded_batch(2)
    choices = from_datasets.from_tensor_slices(np.array([0, 1]))

    def parity(x):
        return tf.cast(tf.size(x) % 2, tf.int32)

    datasets = (
        padded.rebatch(1),
        from_datasets.choose_from_datasets([padded, padded], choices),
        from_datasets.sample_from_datasets([ragged, ragged], seed=1),
        ragged.rejection_resample(parity, [0.5, 0.5]),
        padded.concatenate(padded).enumerate(),
        padded.window(2),
        padded.unbatch(),
        padded.batch(1).padded_batch(1),
    )
    return [repr(dataset.element_spec) for dataset in datasets]
