"""Inputs made from a corpus. Name, seed and number of an input decide its bytes, so a failure can be repeated."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

MOST_PIECES = 24
LONGEST = 8_192
"""Bytes of an input, but for those in which a part is repeated often."""

_NOISE = [
    one.encode("utf-8", "surrogatepass")
    for one in "\0\t\n\x0b\x1b\x1f \"#%&'(),/<>?[\\]`{|}~\x7f\x80\xa0\xe9\u0130\u2028\u65e5\ud800\ufeff\ufffe\U0001f600"
] + [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf5\x80", b"\r\n", b"\xef\xbb\xbf", b"\x1b$B", b"\x1b(B"]
_NUMBERS = b"0 -1 1 00 255 256 65536 2147483648 9223372036854775808 1e999 -0 .5 1.0 99999999999999999999 NaN".split()
_DIGITS = re.compile(rb"[0-9]+")
_TOKENS = re.compile(rb"[A-Za-z0-9_-]+|\s+|.", re.DOTALL)
_OFTEN = 0.01  # of inputs: a part is repeated so often that its length counts


@dataclass(frozen=True, slots=True)
class Corpus:
    """What inputs are made of."""

    whole: Sequence[bytes]  # inputs, real and hostile ones
    pieces: Sequence[bytes]  # words of the language
    grammar: Callable[[Random], bytes] | None = None  # returns an input of the right form

    def input(self, name: str, seed: int, number: int) -> bytes:
        """Return an input: one of the right form, pieces in any order, or a changed input of the corpus."""
        random = Random(f"{name} {seed} {number}")
        kind = random.random()
        if self.grammar is not None and kind < 0.5:
            return self.grammar(random)
        if 0.5 <= kind < 0.7:
            data = self._assembled(random)
        else:
            data = random.choice(self.whole)
            for _ in range(1 + min(int(random.expovariate(0.8)), 12)):
                data = random.choice(_CHANGES)(data, random, self)
        if random.random() < _OFTEN:
            part, at = random.choice(self.pieces), random.randrange(len(data) + 1)
            return data[:at] + part * random.randrange(1, 2_000) + data[at:]
        return data[:LONGEST]

    def _assembled(self, random: Random) -> bytes:
        return b"".join(
            random.choice(_NOISE) if random.random() < 0.2 else random.choice(self.pieces)
            for _ in range(random.randrange(1, MOST_PIECES))
        )


Change = Callable[[bytes, Random, Corpus], bytes]


def _span(data: bytes, random: Random) -> tuple[int, int]:
    """Return a part of the data, mostly a short one."""
    start = random.randrange(len(data) + 1)
    length = random.randrange(1, 9) if random.random() < 0.7 else random.randrange(1, len(data) + 2)
    return start, min(start + length, len(data))


def _delete(data: bytes, random: Random, _: Corpus) -> bytes:
    start, end = _span(data, random)
    return data[:start] + data[end:]


def _repeat(data: bytes, random: Random, _: Corpus) -> bytes:
    start, end = _span(data, random)
    return data[:start] + data[start:end] * random.choice((2, 2, 3, 17, 64)) + data[end:]


def _move(data: bytes, random: Random, _: Corpus) -> bytes:
    start, end = _span(data, random)
    rest = data[:start] + data[end:]
    at = random.randrange(len(rest) + 1)
    return rest[:at] + data[start:end] + rest[at:]


def _insert_piece(data: bytes, random: Random, corpus: Corpus) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(corpus.pieces) + data[at:]


def _insert_noise(data: bytes, random: Random, _: Corpus) -> bytes:
    start, end = _span(data, random) if random.random() < 0.5 else (random.randrange(len(data) + 1),) * 2
    return data[:start] + random.choice(_NOISE) + data[end:]


def _flip(data: bytes, random: Random, _: Corpus) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes((data[at] ^ (1 << random.randrange(8)),)) + data[at + 1 :]


def _join(data: bytes, random: Random, corpus: Corpus) -> bytes:
    other = random.choice(corpus.whole)
    return data[: random.randrange(len(data) + 1)] + other[random.randrange(len(other) + 1) :]


def _cut(data: bytes, random: Random, _: Corpus) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _renumber(data: bytes, random: Random, _: Corpus) -> bytes:
    found = [match.span() for match in _DIGITS.finditer(data)]
    if not found:
        return data
    start, end = random.choice(found)
    return data[:start] + random.choice(_NUMBERS) + data[end:]


def _change_tokens(data: bytes, random: Random, corpus: Corpus) -> bytes:
    """Delete, repeat, swap or replace a word or a sign, so that the rest keeps its form."""
    tokens = _TOKENS.findall(data)
    if not tokens:
        return data
    one, other = random.randrange(len(tokens)), random.randrange(len(tokens))
    match random.randrange(5):
        case 0:
            del tokens[one]
        case 1:
            tokens.insert(other, tokens[one])
        case 2:
            tokens[one], tokens[other] = tokens[other], tokens[one]
        case 3:
            tokens[one] = random.choice(corpus.pieces)
        case _:
            tokens[one] = tokens[one].swapcase()
    return b"".join(tokens)


_CHANGES: Sequence[Change] = (
    _delete, _repeat, _move, _insert_piece, _insert_piece, _insert_noise, _flip, _join, _cut, _renumber,
    _change_tokens, _change_tokens, _change_tokens,
)  # fmt: skip
