"""Hashes of texts."""

from programs.program import answers


def buckets(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.to_hash_bucket(["a", "b", "hello"], 10),
        lambda: tf.strings.to_hash_bucket_fast(
            ["a", "b", "hello", "x" * 20, "y" * 50, "z" * 100], 1000000
        ),
        lambda: tf.strings.to_hash_bucket_strong(["a", "b", "hello"], 10, [1, 2]),
        lambda: tf.strings.to_hash_bucket_strong(["a", "b", "hello"], 10, [1]),
        lambda: tf.strings.to_hash_bucket_strong(["a", "b", "hello"], 10, [-1, 2]),
        lambda: tf.strings.to_hash_bucket_fast(["a"], 0),
        lambda: tf.strings.to_hash_bucket_fast([1], 10),
        lambda: tf.strings.to_hash_bucket(["a"], 0),
        lambda: tf.strings.to_hash_bucket_fast(["a"], 1.5),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:3], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:3], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:3], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:4], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:4], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:4], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:7], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:7], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:7], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:8], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:8], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:8], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:15], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:15], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:15], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:16], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:16], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:16], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:17], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:17], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:17], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:31], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:31], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:31], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:32], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:32], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:32], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:33], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:33], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:33], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:63], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:63], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:63], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:64], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:64], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:64], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:65], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:65], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:65], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:100], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:100], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:100], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:127], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:127], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:127], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:128], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:128], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:128], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:129], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:129], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:129], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: (
            tf.strings.to_hash_bucket_fast(["ab\xe9Z\u1234" * 50][0][:200], 2**62),
            tf.strings.to_hash_bucket(["ab\xe9Z\u1234" * 50][0][:200], 2**62),
            tf.strings.to_hash_bucket_strong(
                ["ab\xe9Z\u1234" * 50][0][:200], 2**62, [123456789, -987654321]
            ),
        ),
        lambda: tf.strings.to_hash_bucket_fast(rt, 100),
    )


def fingerprints(tf, np):
    return answers(
        lambda: tf.fingerprint(["a", "hello"]),
        lambda: tf.fingerprint(tf.constant([[1, 2], [3, 4]])),
        lambda: tf.fingerprint(tf.constant([[1.0, 2.0], [3, 4]])),
        lambda: tf.fingerprint([[["a", "b"], ["c", "d"]]]),
        lambda: tf.fingerprint("a"),
        lambda: tf.fingerprint(["a"], method="md5"),
    )
