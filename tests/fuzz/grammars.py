"""Inputs that keep the form of their language: changed JSON values, and extraction rules."""

import json
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

_ODD: Sequence[Any] = (
    None, True, False, 0, -1, 1, 2.5, 1e308, 10**20, float("nan"), "", "x", "\0", "\ud800", "*", "/a/*", "always", [],
    {}, [None], {"": ""}, "a" * 300,
)  # fmt: skip


class JsonValues:
    """JSON values of a corpus, of which parts are replaced, exchanged, repeated or nested."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._texts = texts

    def __call__(self, random: Random) -> bytes:
        """Return a changed value as JSON."""
        value = json.loads(random.choice(self._texts))
        for _ in range(random.randrange(1, 4)):
            value = self._changed(value, random)
        return json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")

    def _changed(self, value: Any, random: Random) -> Any:
        if not value or not isinstance(value, dict | list) or random.random() < 0.2:
            return self._replaced(value, random)
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = random.choice(keys)
        match random.randrange(8):
            case 0:
                del value[key]
            case 1 if isinstance(value, dict):
                other = json.loads(random.choice(self._texts))
                value.update(other if isinstance(other, dict) else {"@type": other})
            case 2 if isinstance(value, list):
                value.extend(value[:] * random.randrange(1, 20))
            case 3:
                value[key] = [value[key]]
            case _:
                value[key] = self._changed(value[key], random)
        return value

    def _replaced(self, value: Any, random: Random) -> Any:
        match value:
            case bool():
                return random.choice((True, False, None))
            case int() | float() if random.random() < 0.7:
                return random.choice((value + 1, value - 1, value * 10, -value, value / 2, 0, 1))
            case str() if random.random() < 0.5:
                return value + random.choice(("x", " ", "\0", "*", "/", value))
        return deepcopy(random.choice(_ODD)) if random.random() < 0.6 else json.loads(random.choice(self._texts))


_SIMPLE = "p li * .a #x .price h1 div a img [href] [id='a'] [href^='/'] [src$=png i] :first-child :empty :root".split()
_ARGUMENTS = ":not :is :has :where".split()
_COUNTED = ":nth-child :nth-last-child :nth-of-type :nth-last-of-type".split()
_STEPS = "2n+1 odd even 3 -n+3 0 n 1000000n 99999999999".split()
_ATOMS = r"a . \d \w \b [a-z] [^x] \p{L} [[:alpha:]] ^ $ (?i) price , 1 \s \. é".split()
_REPEATS = ("", "", "", "*", "+", "?", "*?", "{2}", "{1,9}") * 6 + ("{0,1000}",)  # the last takes RE2 milliseconds


def rule(random: Random) -> bytes:
    """Return an extraction rule."""
    source = f"/{_expression(random, 3)}/" if random.random() < 0.4 else _selectors(random, 3)
    match random.randrange(6):
        case 0:
            source = f"has({source})"
        case 1:
            source = f"count({source})"
        case 2 if not source.startswith("/"):
            source += random.choice(("::text", "::attr(href)", "::attr(src)", "::attr(xlink:href)"))
        case 3:
            source = f'{random.choice(("has", "count"))}("{random.choice(("a", "add to", "PRICE", "é"))}")'
    pages = random.choice(("", "", "", " [/a*]", " [https://site.example/*]", " [/x]"))
    return f"r{pages} = {source}".encode()


def _selectors(random: Random, depth: int) -> str:
    parts = [_compound(random, depth)]
    while random.random() < 0.4:
        parts += [random.choice((" ", " > ", " + ", " ~ ", ", ")), _compound(random, depth)]
    return "".join(parts)


def _compound(random: Random, depth: int) -> str:
    found = random.choice(_SIMPLE)
    while random.random() < 0.4:
        match random.randrange(4):
            case 0 if depth:
                lead = random.choice(("", "", "> ", "+ "))
                found += f"{random.choice(_ARGUMENTS)}({lead}{_selectors(random, depth - 1)})"
            case 1:
                found += f"{random.choice(_COUNTED)}({random.choice(_STEPS)})"
            case _:
                found += random.choice([one for one in _SIMPLE if one[0] in ".#[:"])
    return found


def _expression(random: Random, depth: int) -> str:
    found = ""
    while not found or random.random() < 0.6:
        if depth and random.random() < 0.25:
            opened = random.choice(("(", "(?:", "(?P<n>"))
            other = f"|{_expression(random, depth - 1)}" if random.random() < 0.3 else ""
            found += f"{opened}{_expression(random, depth - 1)}{other}){random.choice(_REPEATS)}"
        else:
            found += random.choice(_ATOMS) + random.choice(_REPEATS)
    return found
