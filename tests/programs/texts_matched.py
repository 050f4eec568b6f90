"""Regular expressions of RE2."""

from programs.program import answers


def replaced(tf, np):
    return answers(
        lambda: tf.strings.regex_replace("abc 123", "[0-9]+", "N"),
        lambda: tf.strings.regex_replace(["aab", "ab"], "a", "x", replace_global=False),
        lambda: tf.strings.regex_replace("abc", "(a)(b)", r"\2\1\0"),
        lambda: tf.strings.regex_replace("abc", "(a", r"\2\1"),
        lambda: tf.strings.regex_replace("abc", "(a)", r"\2\1"),
        lambda: tf.strings.regex_replace("abc", "", r"-"),
        lambda: tf.strings.regex_replace("abc", "b*", r"-"),
        lambda: tf.strings.regex_replace("abc", tf.constant("b*"), tf.constant("-")),
        lambda: tf.strings.regex_replace("abc", tf.constant(["b*"]), tf.constant("-")),
        lambda: tf.strings.regex_replace("abc", r"a(?=b)", "x"),
        lambda: tf.strings.regex_replace("abc", r"(a)\1", "x"),
        lambda: tf.strings.regex_replace("a.b\\c", r"\\", "\\\\"),
        lambda: tf.strings.regex_replace("abc", "b", r"\x"),
        lambda: tf.strings.regex_replace("abc", "b", "\\"),
        lambda: tf.strings.regex_replace("Hello", "(?i)h", "J"),
        lambda: tf.strings.regex_replace("a\nb\n", "^b$", "J"),
        lambda: tf.strings.regex_replace("a\nb\n", "(?m)^b$", "J"),
        lambda: tf.strings.regex_replace("héé", ".", "J"),
        lambda: tf.strings.regex_replace("hééa\u00a0 b", r"\w", "J"),
        lambda: tf.strings.regex_replace("hééa\u00a0 b", r"\s", "J"),
        lambda: tf.strings.regex_replace("hééa", r"\pL", "J"),
        lambda: tf.strings.regex_replace("hé\n!?", r"[[:punct:]]", "J"),
        lambda: tf.strings.regex_replace("abcabc", r"(?P<x>b)", "<\\1>"),
        lambda: tf.strings.regex_replace("aXbX", r"(?U)a.*X", "-"),
        lambda: tf.strings.regex_replace("a\nb", r"a\Cb", "-"),
        lambda: tf.strings.regex_replace("a.b", r"\Q.\E", "-"),
        lambda: tf.strings.regex_replace("ab\n", r"b$", "-"),
        lambda: tf.strings.regex_replace("ab\n", r"b\z", "-"),
        lambda: tf.strings.regex_replace("ab\n", r"b\Z", "-"),
        lambda: tf.strings.regex_replace("abab", r"(a|ab)(c|bcd|b)*", "-"),
        lambda: tf.strings.regex_replace("x*", r"*", "-"),
        lambda: tf.strings.regex_replace("x*", r"a**", "-"),
        lambda: tf.strings.regex_replace("x*", r"a{1001}", "-"),
        lambda: tf.strings.regex_replace("x*", r"[z-a]", "-"),
        lambda: tf.strings.regex_replace("x*", r"[[:foo:]]", "-"),
        lambda: tf.strings.regex_replace("x*", r"a)", "-"),
        lambda: tf.strings.regex_replace("x*", r"a\8", "-"),
        lambda: tf.strings.regex_replace("x*", "[a", "-"),
        lambda: tf.strings.regex_replace("x*", r"\y", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?P=x)", "-"),
        lambda: tf.strings.regex_replace("x*", r"a++", "-"),
        lambda: tf.strings.regex_replace("x*", r"\pX", "-"),
        lambda: tf.strings.regex_replace(b"\xff\xfe", r".", "-"),
        lambda: tf.strings.regex_replace(b"a\xffb", r"b", "-"),
        lambda: tf.strings.regex_replace(b"a\xffb", r"[^a]", "-"),
        lambda: tf.strings.regex_replace("abc", r"b", "-", replace_global=1),
    )


def refused(tf, np):
    return answers(
        lambda: tf.strings.regex_replace("x*", r"*", "-"),
        lambda: tf.strings.regex_replace("x*", r"a**", "-"),
        lambda: tf.strings.regex_replace("x*", r"a{1001}", "-"),
        lambda: tf.strings.regex_replace("x*", r"[z-a]", "-"),
        lambda: tf.strings.regex_replace("x*", r"[[:foo:]]", "-"),
        lambda: tf.strings.regex_replace("x*", r"a)", "-"),
        lambda: tf.strings.regex_replace("x*", r"a\8", "-"),
        lambda: tf.strings.regex_replace("x*", "[a", "-"),
        lambda: tf.strings.regex_replace("x*", r"\y", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?P=x)", "-"),
        lambda: tf.strings.regex_replace("x*", r"a++", "-"),
        lambda: tf.strings.regex_replace("x*", r"\pX", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?<=a)b", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?!a)b", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?<n>a)b", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?P<n>a)(?P<n>b)", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?P<>a)", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?P<n a)", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?i", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?z)a", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?iz)a", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?>a)", "-"),
        lambda: tf.strings.regex_replace("x*", r"(?#a)", "-"),
        lambda: tf.strings.regex_replace("x*", r"(*", "-"),
        lambda: tf.strings.regex_replace("x*", r"a|*", "-"),
        lambda: tf.strings.regex_replace("x*", r"a{2}{3}", "-"),
        lambda: tf.strings.regex_replace("x*", r"a{2}*", "-"),
        lambda: tf.strings.regex_replace("x*", r"a{3,2}", "-"),
        lambda: tf.strings.regex_replace("x*", r"a{,2}", "-"),
        lambda: tf.strings.regex_replace("A", r"\xg", "_"),
        lambda: tf.strings.regex_replace("A", r"\x", "_"),
    )


def meanings(tf, np):
    return answers(
        lambda: tf.strings.regex_replace("a{,2}", r"a{,2}", "-"),
        lambda: tf.strings.regex_replace("aaa", r"a{2}?", "-"),
        lambda: tf.strings.regex_replace("aaa", r"a+?", "-"),
        lambda: tf.strings.regex_replace("aaa", r"(?U)a+?", "-"),
        lambda: tf.strings.regex_replace("aaa", "a\\", "-"),
        lambda: tf.strings.regex_replace("aaa", r"[[:word:]]", "-"),
        lambda: tf.strings.regex_replace("aaa1", r"[[:^digit:]]", "-"),
        lambda: tf.strings.regex_replace("aaa1", r"[^[:digit:]]", "-"),
        lambda: tf.strings.regex_replace("aaa1", r"[\d\D]", "-"),
        lambda: tf.strings.regex_replace("aaa1]", r"[]]", "-"),
        lambda: tf.strings.regex_replace("aaa1]", r"[^]a]", "-"),
        lambda: tf.strings.regex_replace("a-1]", r"[a-]", "-"),
        lambda: tf.strings.regex_replace("a-1]", r"[\x41-\x{5A}a\n\/]", "_"),
        lambda: tf.strings.regex_replace("A1\n", r"\x{41}\061\n", "_"),
        lambda: tf.strings.regex_replace("a b c", r"\b", "_"),
        lambda: tf.strings.regex_replace("a b c", r"\B", "_"),
        lambda: tf.strings.regex_replace("aBc", r"(?i)[A-B]", "_"),
        lambda: tf.strings.regex_replace("aBc", r"(?i:b)c", "_"),
        lambda: tf.strings.regex_replace("aBcB", r"a(?i)b(?-i)c", "_"),
        lambda: tf.strings.regex_replace("aBc", r"(?i)[^b]", "_"),
        lambda: tf.strings.regex_replace("a\nb", r"a.b", "_"),
        lambda: tf.strings.regex_replace("a\nb", r"(?s)a.b", "_"),
        lambda: tf.strings.regex_replace("a\nb", r"(?ms)^.$", "_"),
        lambda: tf.strings.regex_replace("foo.bar.baz", r"\.([a-z]+)", r"<\1>"),
        lambda: tf.strings.regex_replace("foo", r"(x)?o", r"[\1]"),
        lambda: tf.strings.regex_replace("The quick", r"[aeiou]", r""),
        lambda: tf.strings.regex_replace("<br />Hi <b>", r"<[^>]+>", " "),
        lambda: tf.strings.regex_replace("a1é2漢", r"\p{Lu}|\pN|\p{Han}", "_"),
        lambda: tf.strings.regex_replace("a1é2漢", r"\PN", "_"),
        lambda: tf.strings.regex_replace("a1é2漢", r"\p{^L}", "_"),
        lambda: tf.strings.regex_replace("a1é2漢", r"[\p{L}&&a]", "_"),
        lambda: tf.strings.regex_replace("abab", "(?:)", "_"),
        lambda: tf.strings.regex_replace("abab", "(|a)+", "_"),
        lambda: tf.strings.regex_replace("abab", "b$|^a", "_"),
        lambda: tf.strings.regex_replace("éé", "é*?", "_"),
        lambda: tf.strings.regex_replace("aa", r"a", r"\\0\0"),
        lambda: tf.strings.regex_replace("aa", r"a", r"\1", replace_global=False),
        lambda: tf.strings.regex_replace("aa", r"a", r"x\q", replace_global=False),
        lambda: tf.strings.regex_replace("aa", r"a", r"x\qy"),
    )


def ragged(tf, np):
    rt = tf.ragged.constant([["ab c", "d"], [], ["é f "]])
    return answers(
        lambda: tf.strings.regex_replace(rt, "a", "z"),
    )


def full_match(tf, np):
    return answers(
        lambda: tf.strings.regex_full_match("abc", "a.c"),
        lambda: tf.strings.regex_full_match(["abc", "abcd"], "a.c"),
        lambda: tf.strings.regex_full_match(["abc", "abcd"], tf.constant("a.c")),
        lambda: tf.strings.regex_full_match("abc", "("),
        lambda: tf.strings.regex_full_match("abc", tf.constant("(")),
        lambda: tf.strings.regex_full_match("a\n", "a"),
        lambda: tf.strings.regex_full_match("a\n", "a."),
        lambda: tf.strings.regex_full_match("ab", "a|ab"),
        lambda: tf.strings.regex_full_match("abc", r"a|b|abc"),
        lambda: tf.strings.regex_full_match("", r""),
        lambda: tf.strings.regex_full_match(["test@x.org", "no"], r"[\w.]+@\w+\.\w{2,}"),
    )


def edges(tf, np):
    found = []
    for text, pattern in (
        ("aabé", "(a|b|)+"),
        ("ab", "(|a)+"),
        ("aébc", "x*"),
        ("\u0131AB\u017f", "(?i)[a-z]+"),
        ("kK\u212a", "(?i)k"),
        ("é", r"\C"),
        ("a\U00011f02b", r"\p{Kawi}+"),
        ("\u00e9\u0300x", r"\pM"),
        ("ab12_", r"[^\W\d_]+"),
        ("a\nb\n", "(?m)$"),
        ("aaa", "(a*?)(a*)"),
        ("a" * 40 + "b", "(a+)+$"),
        ("(?<n>", r"[(?<n>]+|\(?<n>"),
        ("ab", "(?<n>a)b"),
        ("ab", "(?P<n>a)(?P<m>b)"),
    ):
        for everywhere in (True, False):
            found += answers(
                lambda t=text, p=pattern, e=everywhere: tf.strings.regex_replace(t, p, r"<\0>", e)
            )
        found += answers(lambda t=text, p=pattern: tf.strings.regex_full_match(t, p))
    return found
