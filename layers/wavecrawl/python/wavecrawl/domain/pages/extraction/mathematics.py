"""Mathematics as TeX: MathML's elements written as TeX, and TeX as pages contain it."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.word_boundaries import without_invisible

_STYLE = re.compile(r"\\(?:display|text)style\b\s*")
_BRACE = re.compile(r"(?<!\\)[{}]")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*(?:\n|$)")
_DELIMITED = re.compile(r"\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$([^$]*)\$", re.DOTALL)
_DEEPEST = 100  # nested elements of a formula
_SINGLE = re.compile(r"\\[A-Za-z]+|.", re.DOTALL)
_OPERATORS: Final[Mapping[str, str]] = MappingProxyType(
    {"\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "{": "\\{", "}": "\\}", "\u2212": "-"}
)
_ACCENTS: Final[Mapping[str, str]] = MappingProxyType(
    {"^": "hat", "\u02c6": "hat", "~": "tilde", "\u02dc": "tilde", "\u00af": "overline", "_": "underline"}
    | {"\u203e": "overline", "\u2192": "vec", "\u20d7": "vec", "\u02d9": "dot", "\u00a8": "ddot"}
)
_FUNCTIONS = frozenset("arg cos cosh cot deg det dim exp gcd inf ker lim ln log max min sin sinh sup tan tanh".split())
_HIDDEN = frozenset(("annotation", "annotation-xml", "mphantom", "mspace", "none", "mprescripts"))


def tex_of(math: LexborNode) -> str:
    """Return the TeX of a `<math>` element: its annotation, the TeX in its attributes, or its elements as TeX."""
    for annotation in math.css("annotation"):
        if "tex" in (annotation.attributes.get("encoding") or "").lower():
            return clean_tex(annotation.text())
    attributes = math.attributes
    return clean_tex(attributes.get("data-latex") or attributes.get("alttext") or _row(math, 0))


def clean_tex(tex: str) -> str:
    """Return TeX in one line, without comments and the style around all of it."""
    tex = without_invisible(tex)
    if "%" in tex:
        tex = _COMMENT.sub("", tex)
    tex = tex.strip()
    if _is_group(tex) and _STYLE.match(tex, 1):
        tex = tex[1:-1]
    styled = _STYLE.match(tex)
    return " ".join(tex[styled.end() if styled else 0 :].split())


def _is_group(tex: str) -> bool:
    """Return whether the first and the last character are braces that belong together."""
    depth = 0
    for brace in _BRACE.finditer(tex) if tex.startswith("{") else ():
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end() == len(tex)
    return False


def delimited_tex(text: str) -> tuple[str, bool] | None:
    r"""Return the TeX of a text like `\(x\)` or `$$x$$`, and whether it is displayed; None for other texts."""
    found = _DELIMITED.fullmatch(text.strip())
    if found is None:
        return None
    inline = found[1] if found[1] is not None else found[4]
    return (clean_tex(inline), False) if inline is not None else (clean_tex(found[2] or found[3] or ""), True)


def _row(node: LexborNode, depth: int) -> str:
    """Return the elements inside an element as TeX, one after another."""
    parts: list[str] = []
    for child in node.iter(include_text=True):
        part = _element(child, depth)
        if part:
            follows = bool(parts) and _ends_in_command(parts[-1]) and part[0].isalpha()
            parts.append(f" {part}" if follows else part)
    return "".join(parts)


def _ends_in_command(tex: str) -> bool:
    letters = tex[: len(tex.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))]
    return letters.endswith("\\") and len(letters) < len(tex)


def _element(node: LexborNode, depth: int) -> str:
    name = (node.tag or "").lower()
    if name in _HIDDEN or depth > _DEEPEST:
        return ""
    if node.is_text_node or name in ("mtext", "ms"):
        text = " ".join((node.text() or "").split())
        return f"\\text{{{text}}}" if text and not node.is_text_node else text
    if name in ("mi", "mn", "mo"):
        text = "".join((node.text() or "").split())
        if name == "mi" and len(text) > 1 and text.isalpha():
            return f"\\{text}" if text in _FUNCTIONS else f"\\operatorname{{{text}}}"
        return _OPERATORS.get(text, text)
    written = _WRITTEN.get(name)
    if written is None:
        return _row(node, depth + 1)
    return written([_element(child, depth + 1) for child in node.iter() if child.tag not in _HIDDEN])


def _base(tex: str) -> str:
    return tex if _SINGLE.fullmatch(tex) or tex.isdigit() else f"{{{tex}}}"


def _script(tex: str) -> str:
    return tex if len(tex) == 1 else f"{{{tex}}}"


def _scripts(*signs: str) -> Callable[[list[str]], str]:
    def write(parts: list[str]) -> str:
        scripts = zip(signs, parts[1:], strict=False)
        return _base(parts[0]) + "".join([sign + _script(part) for sign, part in scripts if part]) if parts else ""

    return write


def _accented(sign: str) -> Callable[[list[str]], str]:
    def write(parts: list[str]) -> str:
        if len(parts) > 1 and parts[1] in _ACCENTS:
            return f"\\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
        return _scripts(sign)(parts)

    return write


def _fraction(parts: list[str]) -> str:
    return f"\\frac{{{parts[0]}}}{{{parts[1]}}}" if len(parts) > 1 else "".join(parts)


def _root(parts: list[str]) -> str:
    return f"\\sqrt[{parts[1]}]{{{parts[0]}}}" if len(parts) > 1 else f"\\sqrt{{{''.join(parts)}}}"


_WRITTEN: Final[Mapping[str, Callable[[list[str]], str]]] = MappingProxyType(
    {
        "mfrac": _fraction,
        "msqrt": lambda parts: f"\\sqrt{{{''.join(parts)}}}",
        "mroot": _root,
        "msup": _scripts("^"),
        "msub": _scripts("_"),
        "msubsup": _scripts("_", "^"),
        "munder": _accented("_"),
        "mover": _accented("^"),
        "munderover": _scripts("_", "^"),
        "mmultiscripts": _scripts("_", "^"),
        "mfenced": lambda parts: f"({','.join(parts)})",
        "mtable": lambda parts: "\\begin{matrix}" + " \\\\ ".join(parts) + "\\end{matrix}",
        "mtr": " & ".join,
        "mlabeledtr": lambda parts: " & ".join(parts[1:]),
    }
)
