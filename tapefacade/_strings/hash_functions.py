"""Hash functions of bytes: FarmHash, SipHash and the older one of TensorFlow.

G. Pike, "FarmHash", https://github.com/google/farmhash (fingerprint of 64 bits);
J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012;
A. Appleby, "MurmurHash2", of which `hash64` is the variant of 64 bits.
"""

from typing import NamedTuple

MASK_64 = 0xFFFFFFFFFFFFFFFF
K0 = 0xC3A5C85C97CB3127
K1 = 0xB492B66FBE98F273
K2 = 0x9AE16A3B2F90404F
MURMUR = 0xC6A4A7935BD1E995
SEED = 0xDECAFCAFFE


class WordPair(NamedTuple):
    """Two words of 64 bits."""

    first: int
    second: int


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _half(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _rotated(value: int, shift: int) -> int:
    """Rotates a word to the right."""
    value &= MASK_64
    return (value >> shift | value << 64 - shift) & MASK_64


def _mixed(value: int) -> int:
    value &= MASK_64
    return value ^ value >> 47


def _joined(u: int, v: int, factor: int) -> int:
    a = _mixed((u ^ v) * factor)
    b = _mixed((v ^ a) * factor)
    return b * factor & MASK_64


def farm64(data: bytes) -> int:
    """Returns the fingerprint of bytes.

    >>> farm64(b"hello")
    13009744463427800296
    """
    if len(data) <= 16:
        return _short(data)
    if len(data) <= 64:
        return _middle(data)
    return _long(data)


def _short(data: bytes) -> int:
    length = len(data)
    factor = K2 + length * 2
    if length >= 8:
        a = _word(data, 0) + K2
        b = _word(data, length - 8)
        c = _rotated(b, 37) * factor + a
        d = (_rotated(a, 25) + b) * factor
        return _joined(c & MASK_64, d & MASK_64, factor)
    if length >= 4:
        return _joined(length + (_half(data, 0) << 3), _half(data, length - 4), factor)
    if length > 0:
        y = data[0] + (data[length >> 1] << 8)
        z = length + (data[-1] << 2)
        return _mixed(y * K2 ^ z * K0) * K2 & MASK_64
    return K2


def _middle(data: bytes) -> int:
    length = len(data)
    factor = K2 + length * 2
    long = length > 32
    a = _word(data, 0) * (K2 if long else K1) & MASK_64
    b = _word(data, 8)
    c = _word(data, length - 8) * factor
    d = _word(data, length - 16) * K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d & MASK_64
    z = a + _rotated(b + K2, 18) + c & MASK_64
    if not long:
        return _joined(y, z, factor)
    z = _joined(y, z, factor)
    e = _word(data, 16) * factor & MASK_64
    f = _word(data, 24)
    g = (y + _word(data, length - 32)) * factor
    h = (z + _word(data, length - 24)) * factor
    return _joined(
        _rotated(e + f, 43) + _rotated(g, 30) + h & MASK_64,
        e + _rotated(f + a, 18) + g & MASK_64,
        factor,
    )


def _weak(data: bytes, at: int, a: int, b: int) -> WordPair:
    w, x, y, z = (_word(data, at + k) for k in (0, 8, 16, 24))
    a += w
    b = _rotated(b + a + z, 21)
    c = a
    a += x + y
    b += _rotated(a, 44)
    return WordPair(a + z & MASK_64, b + c & MASK_64)


def _long(data: bytes) -> int:
    x, y = 81, (81 * K1 + 113) & MASK_64
    z = _mixed(y * K2 + 113) * K2 & MASK_64
    v, w = WordPair(0, 0), WordPair(0, 0)
    x = (x * K2 + _word(data, 0)) & MASK_64
    end = (len(data) - 1) // 64 * 64
    for at in range(0, end, 64):
        x, y, z, v, w = _round(data, at, x, y, z, v, w, K1, 1)
    factor = K1 + ((z & 0xFF) << 1)
    w = WordPair(w.first + ((len(data) - 1) & 63) & MASK_64, w.second)
    v = WordPair(v.first + w.first & MASK_64, v.second)
    w = WordPair(w.first + v.first & MASK_64, w.second)
    x, y, z, v, w = _round(data, len(data) - 64, x, y, z, v, w, factor, 9)
    return _joined(
        _joined(v.first, w.first, factor) + _mixed(y) * K0 + z & MASK_64,
        _joined(v.second, w.second, factor) + x & MASK_64,
        factor,
    )


def _round(
    data: bytes, at: int, x: int, y: int, z: int, v: WordPair, w: WordPair, factor: int, times: int
) -> tuple[int, int, int, WordPair, WordPair]:
    """Takes in 64 bytes."""
    x = _rotated(x + y + v.first + _word(data, at + 8), 37) * factor
    y = _rotated(y + v.second + _word(data, at + 48), 42) * factor
    x = (x ^ w.second * times) & MASK_64
    y = (y + v.first * times + _word(data, at + 40)) & MASK_64
    z = _rotated(z + w.first, 33) * factor & MASK_64
    v = _weak(data, at, v.second * factor, x + w.first)
    w = _weak(data, at + 32, z + w.second, y + _word(data, at + 16))
    return z, y, x, v, w


def hash64(data: bytes) -> int:
    """Returns TensorFlow's older hash of bytes.

    >>> hash64(b"a") % 10
    8
    """
    result = SEED ^ len(data) * MURMUR & MASK_64
    end = len(data) // 8 * 8
    for at in range(0, end, 8):
        k = _word(data, at) * MURMUR & MASK_64
        k = (k ^ k >> 47) * MURMUR & MASK_64
        result = (result ^ k) * MURMUR & MASK_64
    if end < len(data):
        result = (result ^ int.from_bytes(data[end:], "little")) * MURMUR & MASK_64
    result = (result ^ result >> 47) * MURMUR & MASK_64
    return result ^ result >> 47


def sip64(key: WordPair, data: bytes) -> int:
    """Returns the SipHash-2-4 of bytes.

    >>> hex(sip64(WordPair(0x0706050403020100, 0x0F0E0D0C0B0A0908), bytes(range(15))))
    '0xa129ca6149be45e5'
    """
    state = [
        key.first ^ 0x736F6D6570736575,
        key.second ^ 0x646F72616E646F6D,
        key.first ^ 0x6C7967656E657261,
        key.second ^ 0x7465646279746573,
    ]
    end = len(data) // 8 * 8
    last = int.from_bytes(data[end:], "little") | (len(data) & 0xFF) << 56
    for word in [*(_word(data, at) for at in range(0, end, 8)), last]:
        state[3] ^= word
        _sip_rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xFF
    _sip_rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_rounds(state: list[int], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a = a + b & MASK_64
        b = _rotated(b, 51) ^ a
        a = _rotated(a, 32)
        c = c + d & MASK_64
        d = _rotated(d, 48) ^ c
        a = a + d & MASK_64
        d = _rotated(d, 43) ^ a
        c = c + b & MASK_64
        b = _rotated(b, 47) ^ c
        c = _rotated(c, 32)
    state[:] = a, b, c, d
