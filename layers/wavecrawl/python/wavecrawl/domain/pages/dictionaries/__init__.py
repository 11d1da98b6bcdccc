"""Words of languages that are written without spaces between words, from the dictionaries of ICU (see LICENSE).

The lists were taken from ICU 78. They have 600 KB; ICU itself has 40 MB, for which one function in AWS has no room.
"""

import lzma
import re
from functools import lru_cache
from importlib.resources import files
from typing import Final

from msgspec import Struct

# What a word cannot end in: a letter with the vowels and signs around it.
_CLUSTERS: Final = {
    "thai": "[\u0e40-\u0e44]?[\u0e01-\u0e2e](?:[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e])*",
    "lao": "[\u0ec0-\u0ec4]?[\u0e81-\u0eae\u0edc-\u0edf](?:[\u0eb0-\u0ebd\u0ec8-\u0ece])*",
    "khmer": "[\u1780-\u17b3](?:\u17d2[\u1780-\u17b3]|[\u17b4-\u17d1\u17d3\u17dd])*",
    "burmese": (
        "[\u1000-\u102a\u103f\u1050-\u1055]"
        "(?:\u1039[\u1000-\u1021]|[\u1000-\u1021]\u103a|[\u102b-\u1038\u103a-\u103e])*"
    ),
}
SCRIPTS: Final = {
    "thai": "[\u0e01-\u0e3a\u0e40-\u0e4e]+",
    "lao": "[\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf]+",
    "khmer": "[\u1780-\u17d3\u17d7\u17dc\u17dd]+",
    "burmese": "[\u1000-\u103f\u1050-\u109d\ua9e0-\ua9e6\uaa60-\uaa76\uaa7a-\uaa7f]+",
}
"""The characters of words, by dictionary: regular expressions without groups."""


class Dictionary(Struct, frozen=True, gc=False):
    """The words of a language."""

    words: frozenset[str]
    longest: dict[str, int]  # characters of the longest word, by its first two characters
    clusters: re.Pattern[str]

    def split(self, text: str) -> list[str]:
        """Return the words of a text that has characters of the script only. What is no word is between words.

        At each place the longest word is taken.
        """
        pieces = self.clusters.findall(text)
        found: list[str] = []
        unknown = ""
        begin = place = 0
        while place < len(pieces):
            end = self._end(text, begin, pieces, place)
            if end == place:
                unknown += pieces[place]
                begin += len(pieces[place])
                place += 1
                continue
            if unknown:
                found.append(unknown)
                unknown = ""
            word = "".join(pieces[place:end])
            found.append(word)
            begin += len(word)
            place = end
        return [*found, unknown] if unknown else found

    def _end(self, text: str, begin: int, pieces: list[str], place: int) -> int:
        """Return the place after the longest word that begins at one; the same place if there is none."""
        most = self.longest.get(text[begin : begin + 2], 0)
        length, at, end = 0, place, place
        while at < len(pieces):
            length += len(pieces[at])
            if length > most:
                break
            at += 1
            if text[begin : begin + length] in self.words:
                end = at
        return end


@lru_cache(maxsize=len(SCRIPTS))
def dictionary(name: str) -> Dictionary:
    """Return a dictionary. The first call takes some 30 ms and 10 MB."""
    packed = files(__name__).joinpath(f"{name}.txt.xz").read_bytes()
    words = lzma.decompress(packed).decode().split("\n")
    longest: dict[str, int] = {}
    for word in words:
        start = word[:2]
        longest[start] = max(longest.get(start, 0), len(word))
    return Dictionary(frozenset(words), longest, re.compile(f"{_CLUSTERS[name]}|."))
