"""The encoding of a page that declares none, and that is not UTF-8.

As in the WHATWG HTML standard, the default is windows-1252, or another legacy encoding for some languages and top-level
domains. Another encoding needs strong evidence: letters of a language that reads them in the words of the page, while
in the default encoding the words are of no language.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from wavecrawl.domain.pages.east_asian import EAST_ASIAN, likelihood
from wavecrawl.domain.pages.encodings import decode_bytes
from wavecrawl.domain.pages.writing_systems import DEFAULTS, LANGUAGES, SYSTEMS, WRITTEN_AS, WritingSystem

WESTERN = "windows-1252"
_VIETNAMESE = "windows-1258"

_SAMPLE = 1_536  # bytes of words that are examined
_BEFORE = 24  # bytes of a word before its first byte that is not ASCII
_WORDS_IN = 65_536  # bytes in which words are looked for, from the first byte that is not ASCII
_EVIDENCE = 2.0  # points by which another encoding must exceed the default

_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_DELIMITERS = re.compile(rb"[\s<>\"]")
_LANGUAGE = re.compile(rb"<html\b[^>]{0,500}?\slang\s*=\s*[\"']?\s*([a-z]{2,3}(?:-[a-z0-9]+)*)", re.IGNORECASE)
_LANGUAGE_IN = 4_096  # bytes of the page in which its language is looked for

_LETTER = "[^\\W\\d_\u00aa\u00b2\u00b3\u00b5\u00b9\u00ba\u00bc-\u00be]"
_MARK = "[\u0300-\u036f\u05b0-\u05c4\u064b-\u0652\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]"
_WORD = re.compile(f"{_LETTER}(?:{_LETTER}|{_MARK})*")
_GLUE = re.compile(f"(?<={_LETTER})[\u00a1-\u00ac\u00ae-\u00b6\u00b8-\u00bf](?={_LETTER})")  # a sign within a word
_STRANGE_SIGN = re.compile("[\u02c7-\u02dd\u2190-\u2bff\uf8ff]")  # accents of their own, arrows, lines of tables
_NOT_TEXT = re.compile("[\u0080-\u009f\ufffd]")
_NUMBERED = re.compile(f"(?<=\\d)(?![a-zA-Z]){_LETTER}|(?![a-zA-Z]){_LETTER}(?=\\d)")
_MISPLACED = re.compile(r"\u00bf(?=[a-z])|(?<=[a-z]{3})[\u00b9\u00b3]")
_QUOTES = re.compile(r"(?<!\w)[«“„](?=\w)|(?<=\w)[»”](?!\w)")
_SIGNS = (
    (_NOT_TEXT, -3.0),
    (_STRANGE_SIGN, -2.0),
    (_GLUE, -2.0),
    (_NUMBERED, -1.0),
    (_MISPLACED, -1.0),
    (_QUOTES, 1.0),
)

_LETTER_RIGHT, _LETTER_RARE, _LETTER_FOREIGN, _LETTER_WRONG = 1.0, 0.25, -1.5, -3.0
_CASE_WRONG = -2.0
_CAPITALS = 0.7  # share of the points of a word in capitals, in writing that is not Latin
_ONLY_ACCENTS = -0.7  # points of each letter of a Latin word of three letters or more without ASCII letters
_IMPOSSIBLE = -3.0


def undeclared_charset(content: bytes, *, host: str) -> str:
    """Return the WHATWG name of the likely encoding of a page. `host`: of its URL, "" if unknown."""
    sample = _words(content)
    language = _language(content) or LANGUAGES.get(_top_level(host), "")
    primary = language.partition("-")[0]
    default = DEFAULTS.get(language) or DEFAULTS.get(primary, WESTERN)
    written = WRITTEN_AS.get(primary, "")
    candidates = [*_candidates(sample, default)]
    best, most = default, 0.0
    if written:  # if the default makes no sense of the page, another encoding of the language needs no words
        most = min(most, _EVIDENCE + max(points for encoding, _, points in candidates if encoding == default))
    for encoding, of, points in candidates:
        expected = (of == written != "") or (encoding == default and (default == WESTERN or not written))
        total = points if expected else points - _EVIDENCE
        if total > most or (total == most and encoding == default):
            best, most = encoding, total
    return best


def _words(content: bytes) -> bytes:
    """Return the different words of a page that are not ASCII, up to `_SAMPLE` bytes, one per line."""
    found: dict[bytes, None] = {}
    size = position = 0
    first = _NOT_ASCII.search(content)
    limit = min(len(content), _WORDS_IN + (first.start() if first else 0))
    while size < _SAMPLE and (byte := _NOT_ASCII.search(content, position, limit)) is not None:
        start = byte.start()
        before = _DELIMITERS.split(content[max(position, start - _BEFORE) : start])[-1]
        end = _DELIMITERS.search(content, start, limit)
        position = end.start() if end else limit
        word = before + content[start : min(position, start + _SAMPLE - size)]
        if word not in found:
            found[word] = None
            size += len(word)
    return b"\n".join(found)


def _language(content: bytes) -> str:
    match = _LANGUAGE.search(content, 0, _LANGUAGE_IN)
    return match[1].decode("ascii").lower() if match else ""


def _top_level(host: str) -> str:
    return host.partition(":")[0].rpartition(".")[2].lower()


def _candidates(sample: bytes, default: str) -> Iterator[tuple[str, str, float]]:
    """Yield each encoding with a language of it, and the points that speak for both."""
    for encoding, systems in _SINGLE_BYTE.items():
        if encoding == _VIETNAMESE != default:  # rare, and its letters with accents look like those of other languages
            continue
        text = decode_bytes(sample, encoding)
        signs = sum(points * len(pattern.findall(text)) for pattern, points in _SIGNS)
        # A single letter is a sign in another encoding: "©" is a letter in many of them.
        words = {word for word in _WORD.findall(text) if len(word) > 1 and not word.isascii()}
        signs += _CASE_WRONG * sum(map(_has_wrong_case, words))
        for system in systems:
            of_words = _points_of_latin if system.latin else _points_of_other
            yield encoding, system.language, signs + sum(of_words(word, system) for word in words)
    for asian in EAST_ASIAN:
        yield asian.encoding, asian.language, likelihood(sample, asian)


def _has_wrong_case(word: str) -> bool:
    """Return whether capitals follow small letters, as in text that is read in the wrong encoding."""
    return not (word.islower() or word.isupper() or word[1:].islower()) and word.lower() != word


def _points_of_latin(word: str, system: WritingSystem) -> float:
    letters = [char for char in word if not char.isascii()]
    points = sum(_points_of_letter(char, system) for char in letters)
    if len(letters) == len(word) > 2:  # noqa: PLR2004 - such words of two letters are common
        points += _ONLY_ACCENTS * len(word)
    return points + _points_of_impossible(word.lower(), system)


def _points_of_other(word: str, system: WritingSystem) -> float:
    points = sum(_points_of_letter(char, system) for char in word) + _points_of_impossible(word, system)
    return points * _CAPITALS if points > 0 and word.isupper() else points


def _points_of_impossible(word: str, system: WritingSystem) -> float:
    return _IMPOSSIBLE if system.impossible and re.search(system.impossible, word) else 0.0


@lru_cache(maxsize=16_384)
def _points_of_letter(char: str, system: WritingSystem) -> float:
    char = char if char in system.letters else char.lower()
    if char in system.common:
        return _LETTER_RIGHT
    if char in system.letters:
        return _LETTER_RARE
    return _LETTER_FOREIGN if char in _WESTERN_LETTERS and WESTERN in system.encodings else _LETTER_WRONG


def _by_encoding() -> dict[str, list[WritingSystem]]:
    found: dict[str, list[WritingSystem]] = {}
    for system in SYSTEMS:
        for encoding in system.encodings:
            found.setdefault(encoding, []).append(system)
    return found


_SINGLE_BYTE = _by_encoding()
_WESTERN_LETTERS = frozenset[str]().union(*(system.letters for system in _SINGLE_BYTE[WESTERN]))
