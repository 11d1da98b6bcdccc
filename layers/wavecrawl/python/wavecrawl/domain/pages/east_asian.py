"""The likelihood that bytes are Chinese, Japanese or Korean text in a legacy encoding."""

from msgspec import Struct

from wavecrawl.domain.pages.encodings import codec_of

_OFTEN, _USUAL, _SYMBOL, _RARE, _NEVER = 3.0, 2.0, 0.5, 0.0, -2.0  # points of a character
_NEXT_TO_ASCII = -2.0  # points of an ASCII letter beside a character
_WRONG = -4.0  # points of bytes that are no character


class EastAsian(Struct, frozen=True, kw_only=True):
    """An encoding of two-byte characters."""

    encoding: str  # WHATWG name
    language: str
    usual: tuple[int, int]  # first bytes of the characters that are learned first
    rare: tuple[int, int]  # first bytes of the other characters
    symbols: tuple[int, int]  # first bytes of punctuation
    least: int = 0xA1  # second byte of the usual characters; those below were added later
    kana: bool = False
    often: frozenset[str] = frozenset()  # the most frequent characters


_JAPANESE = frozenset("日本人大年一国会中出生社見月分後前新学上下東京気会事案内情報文書語品商店お問合せ株式")

EAST_ASIAN = (
    EastAsian(
        encoding="shift_jis",
        language="ja",
        usual=(0x88, 0x97),
        rare=(0x98, 0xEA),
        symbols=(0x81, 0x82),
        least=0x40,
        kana=True,
        often=_JAPANESE,
    ),
    EastAsian(
        encoding="euc-jp",
        language="ja",
        usual=(0xB0, 0xCF),
        rare=(0xD0, 0xF4),
        symbols=(0xA1, 0xA3),
        kana=True,
        often=_JAPANESE,
    ),
    EastAsian(
        encoding="gbk",
        language="zh",
        usual=(0xB0, 0xD7),
        rare=(0xD8, 0xF7),
        symbols=(0xA1, 0xA3),
        often=frozenset(
            "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
            "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
            "网站首页新闻公司产品关联系们服务中文"
        ),
    ),
    EastAsian(
        encoding="big5",
        least=0x40,
        language="zh",
        usual=(0xA4, 0xC6),
        rare=(0xC9, 0xF9),
        symbols=(0xA1, 0xA3),
        often=frozenset(
            "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡"
            "用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實"
            "網站首頁新聞公司產品關聯系服務中文"
        ),
    ),
    EastAsian(
        encoding="euc-kr",
        language="ko",
        usual=(0xB0, 0xC8),
        rare=(0xCA, 0xFD),
        symbols=(0xA1, 0xA3),
        often=frozenset(
            "이다는에의가고하지을로를한기사시은도어스자리인해대아서나일정그수라여있보부전주안녕세요소개개문"
        ),
    ),
)


def likelihood(sample: bytes, system: EastAsian) -> float:
    """Return the points of a sample: positive if it is likely text in this encoding."""
    codec = codec_of(system.encoding)
    text = sample.decode(codec, "replace")
    points = 0.0
    before = ""
    for char in text:
        if char.isascii():
            if char.isalpha() and before and not before.isascii():
                points += _NEXT_TO_ASCII
        else:
            points += _points(char, codec, system)
            if before.isascii() and before.isalpha():
                points += _NEXT_TO_ASCII
        before = char
    return points


def _points(char: str, codec: str, system: EastAsian) -> float:
    if char == "\ufffd":
        return _WRONG
    if char in system.often:
        return _OFTEN
    if "\u3041" <= char <= "\u30ff":  # Hiragana and Katakana
        return _USUAL if system.kana else _NEVER
    return _points_of_bytes(char.encode(codec, "replace"), system)


def _points_of_bytes(code: bytes, system: EastAsian) -> float:
    if len(code) != 2:  # noqa: PLR2004 - one byte: katakana of half width; three and four: rare characters
        return _NEVER
    if system.usual[0] <= code[0] <= system.usual[1]:
        return _USUAL if code[1] >= system.least else _NEVER
    if system.symbols[0] <= code[0] <= system.symbols[1]:
        return _SYMBOL
    return _RARE if system.rare[0] <= code[0] <= system.rare[1] else _NEVER
