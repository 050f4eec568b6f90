"""Tables: `tf.lookup`."""

import pathlib

from programs.program import caught, in_a_new_directory, shown


@in_a_new_directory
def static(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    lookup = tf.lookup
    pairs = lookup.KeyValueTensorInitializer
    lines_of = lookup.TextFileInitializer
    index = lookup.TextFileIndex
    path = "v.txt"
    words = "w.txt"
    pathlib.Path(path).write_text("emerson 10\nlake 20\npalmer 30\n")
    pathlib.Path(words).write_text("a\nb\nc\n")
    t_ = lookup.StaticHashTable(pairs(["a", "b"], [1, 2]), -1)
    ask(lambda: t_.size())
    ask(lambda: t_.lookup(tf.constant(["a", "z"])))
    ask(lambda: ((t_.key_dtype, t_.value_dtype, t_.default_value)))
    ask(lambda: t_.lookup(["a", "b"]))
    ask(lambda: t_.lookup("a"))
    ask(lambda: t_.lookup(tf.constant([1])))
    ask(lambda: t_.lookup(1))
    ask(lambda: t_.lookup([["a"], ["q"]]))
    ask(lambda: t_.lookup(tf.ragged.constant([["a"], ["b", "q"]])))
    ask(lambda: sorted(t_.export()[0].numpy().tolist()))
    ask(lambda: t_[["a"]])
    ask(lambda: lookup.StaticHashTable(pairs(["a", "a"], [1, 2]), -1))
    ask(lambda: lookup.StaticHashTable(pairs(["a", "a"], [1, 1]), -1).size())
    ask(lambda: lookup.StaticHashTable(pairs(["a", "b"], [1]), -1))
    ask(
        lambda: lookup.StaticHashTable(pairs([1, 2], ["x", "y"]), "def").lookup(tf.constant([1, 5]))
    )
    ask(
        lambda: lookup.StaticHashTable(pairs([1, 2], ["x", "y"], key_dtype=tf.int64), "def").lookup(
            tf.constant([1, 5], tf.int64)
        )
    )
    ask(
        lambda: lookup.StaticHashTable(pairs([1, 2], ["x", "y"], key_dtype=tf.int64), "def").lookup(
            tf.constant([1, 5])
        )
    )
    ask(lambda: lookup.StaticHashTable(pairs(["a"], [1.5]), -1.0)["a"])
    ask(lambda: lookup.StaticHashTable(pairs(["a"], [1]), "x"))
    ask(lambda: lookup.StaticHashTable(pairs(["a"], [1]), 1.5))
    ask(lambda: lookup.StaticHashTable(pairs(["a"], [1], value_dtype=tf.int64), -1)["a"])
    ask(lambda: lookup.StaticHashTable(pairs(["a"], [[1]]), -1))
    ask(lambda: lookup.StaticHashTable(pairs(["a"], [1]), -1, experimental_is_anonymous=True)["a"])
    ask(
        lambda: lookup.StaticHashTable(
            lines_of(path, tf.string, 0, tf.int64, 1, delimiter=" "), -1
        ).lookup(tf.constant(["lake", "x"]))
    )
    ask(
        lambda: lookup.StaticHashTable(
            lines_of(words, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER), -1
        ).lookup(tf.constant(["b", "x"]))
    )
    ask(
        lambda: lookup.StaticHashTable(
            lines_of(words, tf.int64, index.LINE_NUMBER, tf.string, index.WHOLE_LINE), "UNK"
        ).lookup(tf.constant([1, 9], tf.int64))
    )
    ask(
        lambda: lookup.StaticHashTable(
            lines_of(words, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER, vocab_size=2),
            -1,
        ).size()
    )
    ask(
        lambda: lookup.StaticHashTable(
            lines_of(words, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER, vocab_size=5),
            -1,
        ).size()
    )
    ask(
        lambda: lookup.StaticHashTable(
            lines_of(
                words,
                tf.string,
                index.WHOLE_LINE,
                tf.int64,
                index.LINE_NUMBER,
                value_index_offset=10,
            ),
            -1,
        )["a"]
    )
    ask(
        lambda: lookup.StaticHashTable(
            lines_of("/nope", tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER), -1
        )
    )
    ask(
        lambda: lookup.StaticHashTable(lines_of(path, tf.string, 0, tf.int64, 5, delimiter=" "), -1)
    )
    ask(
        lambda: lookup.StaticHashTable(lines_of(path, tf.string, 1, tf.int64, 0, delimiter=" "), -1)
    )
    ask(lambda: lines_of(path, tf.string, -3, tf.int64, 0))
    ask(lambda: lines_of(path, tf.string, index.LINE_NUMBER, tf.int64, 0))
    ask(lambda: lines_of(path, tf.float32, index.WHOLE_LINE, tf.int64, 0))
    ask(lambda: lines_of(path, tf.string, index.WHOLE_LINE, tf.string, index.LINE_NUMBER))
    ask(lambda: lines_of(None, tf.string, 0, tf.int64, 1))
    ask(lambda: (index.WHOLE_LINE, index.LINE_NUMBER))
    ask(lambda: (pairs(["a"], [1]).key_dtype, pairs(["a"], [1]).value_dtype))
    ask(lambda: t_.lookup(tf.SparseTensor([[0, 0]], ["a"], [1, 1])))
    ask(lambda: t_.lookup(None))
    ask(lambda: t_.lookup([]))
    return found


@in_a_new_directory
def vocabularies(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    lookup = tf.lookup
    pairs = lookup.KeyValueTensorInitializer
    path = "v.txt"
    words = "w.txt"
    pathlib.Path(path).write_text("emerson 10\nlake 20\npalmer 30\n")
    pathlib.Path(words).write_text("a\nb\nc\n")
    v_ = lookup.StaticVocabularyTable(pairs(["a", "b", "c"], tf.constant([0, 1, 2], tf.int64)), 3)
    ask(
        lambda: (
            v_.lookup(tf.constant(["a", "c", "zz", "qq", "hello"])),
            v_.size(),
            v_.key_dtype,
            v_.value_dtype,
            v_.name,
        )
    )
    ask(lambda: v_["b"])
    ask(lambda: v_.lookup(tf.constant([1])))
    ask(lambda: lookup.StaticVocabularyTable(pairs(["a"], [0]), 1))
    ask(lambda: lookup.StaticVocabularyTable(pairs(["a"], tf.constant([0], tf.int64)), 0))
    ask(lambda: lookup.StaticVocabularyTable(None, 3).lookup(tf.constant(["a", "b"])))
    ask(
        lambda: lookup.StaticVocabularyTable(
            pairs(tf.constant([5, 6], tf.int64), tf.constant([0, 1], tf.int64)), 2
        ).lookup(tf.constant([5, 6, 100, 101, 102], tf.int64))
    )
    ask(
        lambda: lookup.StaticVocabularyTable(
            pairs(tf.constant([5, 6], tf.int32), tf.constant([0, 1], tf.int64)), 2
        ).lookup(tf.constant([5, 6, 100, 101, 102], tf.int32))
    )
    ask(
        lambda: lookup.StaticVocabularyTable(
            pairs(tf.constant([5, 6], tf.int64), tf.constant([0, 1], tf.int64)),
            2,
            lookup_key_dtype=tf.int32,
        ).lookup(tf.constant([5, 100]))
    )
    ask(
        lambda: lookup.StaticVocabularyTable(pairs(["a"], tf.constant([5], tf.int64)), 1).lookup(
            tf.constant(["a", "b"])
        )
    )
    return found


@in_a_new_directory
def mutable(tf, np):
    found = []

    def ask(statement):
        found.append(shown(caught(statement)))

    lookup = tf.lookup
    path = "v.txt"
    words = "w.txt"
    pathlib.Path(path).write_text("emerson 10\nlake 20\npalmer 30\n")
    pathlib.Path(words).write_text("a\nb\nc\n")
    mutable_ = lookup.experimental.MutableHashTable
    m = mutable_(tf.string, tf.int64, -1)
    ask(lambda: m.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)))
    ask(lambda: (m.size(), m.lookup(tf.constant(["a", "z"])), m["b"], m.name))
    ask(lambda: m.insert(["a"], [5]))
    ask(lambda: m.insert(["q"], tf.constant([1.5])))
    ask(lambda: m.insert(tf.constant(["a", "b"]), tf.constant([1], tf.int64)))
    ask(lambda: (sorted(m.export()[0].numpy()), sorted(m.export()[1].numpy())))
    ask(lambda: m.remove(tf.constant(["a", "nope"])))
    ask(lambda: (m.size(), m["a"]))
    ask(lambda: m.lookup(tf.constant(["a"]), dynamic_default_values=tf.constant([9], tf.int64)))
    ask(lambda: m.lookup(1))
    ask(lambda: m.remove(1))
    ask(lambda: m.erase(tf.constant(["b"])))
    m2 = mutable_(tf.int64, tf.float32, [0.0, 0.0])
    m2.insert(tf.constant([1], tf.int64), [[1.0, 2.0]])
    ask(lambda: (m2.lookup(tf.constant([1, 2], tf.int64)), m2.size()))
    ask(lambda: m2.insert(tf.constant([1], tf.int64), [1.0]))
    ask(lambda: mutable_(tf.string, tf.int64, 1.5))
    ask(lambda: mutable_("string", "int64", -1)["x"])
    ask(
        lambda: mutable_(key_dtype=tf.string, value_dtype=tf.int64, default_value=[1, 2]).lookup(
            "a"
        )
    )
    dense = lookup.experimental.DenseHashTable
    d = dense(tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-2)
    ask(lambda: d.insert(tf.constant([1, 2], tf.int64), tf.constant([10, 20], tf.int64)))
    ask(lambda: (d.lookup(tf.constant([1, 9], tf.int64)), d.size(), d[tf.constant([2], tf.int64)]))
    ask(lambda: d.insert(tf.constant([-1], tf.int64), tf.constant([10], tf.int64)))
    ask(lambda: d.insert(tf.constant([-2], tf.int64), tf.constant([10], tf.int64)))
    ask(lambda: d.lookup(tf.constant([-1], tf.int64)))
    ask(lambda: d.remove(tf.constant([1], tf.int64)))
    ask(lambda: d.size())
    ask(lambda: d.erase(tf.constant([1], tf.int64)))
    ask(lambda: dense(tf.int64, tf.int64, -1, empty_key=-1, deleted_key=-1))
    ask(lambda: dense(tf.string, tf.int64, -1, empty_key="", deleted_key="$")["x"])
    ask(
        lambda: dense(tf.string, tf.int64, -1, empty_key="", deleted_key="$", initial_num_buckets=3)
    )
    return found
