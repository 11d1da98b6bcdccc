"""The letters of languages in legacy encodings, by which an undeclared encoding is recognised.

Letters are lower-case and not ASCII.
"""

from msgspec import Struct


class WritingSystem(Struct, frozen=True, kw_only=True):
    """The letters that a language adds to ASCII, and the encodings that have them."""

    language: str  # primary subtag of BCP 47, "" for text in several languages
    encodings: tuple[str, ...]  # WHATWG names
    letters: frozenset[str]
    common: frozenset[str]  # the letters that are frequent
    latin: bool  # words of Latin writing also have ASCII letters, other words do not
    impossible: str  # a regular expression of what words never have, "" for nothing


def _latin(language: str, encodings: str, letters: str, *, rare: str = "", impossible: str = "") -> WritingSystem:
    return WritingSystem(
        language=language,
        encodings=tuple(encodings.split()),
        letters=frozenset(letters + rare),
        common=frozenset(letters),
        latin=True,
        impossible=impossible,
    )


def _other(language: str, encodings: str, common: str, rare: str, *, impossible: str = "") -> WritingSystem:
    return WritingSystem(
        language=language,
        encodings=tuple(encodings.split()),
        letters=frozenset(common + rare),
        common=frozenset(common),
        latin=False,
        impossible=impossible,
    )


_WEST = "windows-1252"
_CENTRAL = "windows-1250 iso-8859-2"
_CYRILLIC = "windows-1251 koi8-r iso-8859-5 ibm866"

SYSTEMS = (
    _latin("de", _WEST, "äöüß", rare="é"),
    _latin("sv", _WEST, "åäö", rare="éüà"),
    _latin("da", _WEST, "æøå", rare="éöäüôêò"),  # also Norwegian
    _latin("fi", _WEST, "äö", rare="åšž"),
    _latin("is", _WEST, "áéíóúýðþæö", impossible=r"\bð|þ\b"),
    _latin("fo", _WEST, "áíóúýðæø", impossible=r"\bð"),
    _latin("nl", _WEST, "ëéïöü", rare="èáóúíê"),
    _latin("fr", _WEST, "éèàêçîôûù", rare="âëïœæüÿ", impossible=r"œ(?![uidet])|ç(?![aoue]|\b)"),
    _latin("es", _WEST, "áéíóúñ", rare="üç"),
    _latin("ca", _WEST, "àéèíïóòúüç"),
    _latin("pt", _WEST, "ãçáéíóõúâêô", rare="àü", impossible=r"õ(?![eo])|ã(?![oeisn]|\b)"),
    _latin("it", _WEST, "àèéìòù", rare="îóí"),
    _latin("cy", _WEST, "âêîôû", rare="ïöëáàéè"),
    _latin("sq", _WEST, "ëç"),
    _latin("", _WEST, "", rare="äöüßåæøéèàêçîôûùâëïœÿáíóúñãõìòýðþšž"),
    _latin("pl", _CENTRAL, "ąęłżóśćńź"),
    _latin("cs", _CENTRAL, "íáéěýčšřžůú", rare="ťňďóöü"),
    _latin("sk", _CENTRAL, "áíýéčšžúťňô", rare="ľóďäŕĺ", impossible=r"[ŕĺ](?![^\W\d_aeiouyáéíóúýäô])"),
    _latin("hu", _CENTRAL, "áéőöóíüúű"),
    _latin("ro", _CENTRAL, "ăâîşţ", rare="é"),
    _latin("hr", _CENTRAL, "čćšžđ"),  # also Bosnian, Serbian in Latin letters, Slovene
    _latin("tr", "windows-1254", "ıişğçöüâİ", rare="îû", impossible=r"\bğ"),
    _latin("lt", "windows-1257", "ąčęėįšųūž"),
    _latin("lv", "windows-1257", "āčēģīķļņšūž"),
    _latin("et", "windows-1257", "õäöü", rare="šž"),
    _latin("vi", "windows-1258", "ăâđêôơưáàéèíóúù\u0300\u0301\u0303\u0309\u0323"),
    _other("ru", _CYRILLIC, "оеаинтсрвлкмдпуяыьг", "збчйхжшюцщэфъё"),
    _other("uk", "windows-1251 koi8-u iso-8859-5", "оанитвіерслкумдпяьз", "гбйчхжцюїєшщґф"),
    _other("bg", _CYRILLIC, "аиоентврслдкпмъзубя", "гчцжщхшйюфьѝ"),
    _other("sr", "windows-1251 iso-8859-5", "аиоенрсјтувдкмлпзбг", "ћчшцжљњђхџфќѓѕ"),
    _other("be", "windows-1251 iso-8859-5", "аніерцястолувыкмдпьзў", "гбчшжхйюэфё"),
    _other("el", "windows-1253 iso-8859-7", "αιοετσνηυρπκμλςάέίόήύώωδγ", "θχφβξζψϊϋΐΰ"),
    _other("he", "windows-1255", "יוהלארתבשמנדםקעחפכגטצןסזךץף", "־", impossible="[םןךףץ](?=[א-ת])"),
    _other("ar", "windows-1256", "اليمنترودهبعسفقةكحجأ", "ىشصطخضغإذثزظئءآؤپچژگ،؟ـًٌٍَُِّْ"),
    _other("th", "windows-874", "กขคงจชดตทนบปพมยรลวสหอะาำเแโใไัิีึืุู็่้์", "ฃฅฆฉซฌญฎฏฐฑฒณถธผฝฟภศษฬฮฤฦฯๆฺฺ๊๋ํ"),
)

WRITTEN_AS = {
    **{system.language: system.language for system in SYSTEMS if "windows-1252" not in system.encodings},
    **{language: language for language in ("ja", "zh", "ko")},
    **dict.fromkeys(("sl", "bs", "sh"), "hr"),
    **dict.fromkeys(("fa", "ur"), "ar"),
    "mk": "sr",
    "az": "tr",
}
"""Languages that have encodings of their own, with the language that has their letters."""

DEFAULTS = {
    **dict.fromkeys(("be", "bg", "kk", "ky", "mk", "ru", "sah", "sr", "tg", "tt", "uk", "ba"), "windows-1251"),
    **dict.fromkeys(("az", "ku", "tr"), "windows-1254"),
    **dict.fromkeys(("et", "lt", "lv"), "windows-1257"),
    **dict.fromkeys(("cs", "hr", "sk", "ro", "bs"), "windows-1250"),
    **dict.fromkeys(("hu", "pl", "sl"), "iso-8859-2"),
    **dict.fromkeys(("ar", "fa"), "windows-1256"),
    **dict.fromkeys(("zh-hant", "zh-tw", "zh-hk"), "big5"),
    "el": "iso-8859-7",
    "he": "windows-1255",
    "ja": "shift_jis",
    "ko": "euc-kr",
    "th": "windows-874",
    "vi": "windows-1258",
    "zh": "gbk",
}
"""Encodings of pages without a declaration, by language (WHATWG HTML, "Determining the character encoding")."""

LANGUAGES = {
    **{name: name for name in ("sk", "pl", "hu", "hr", "ro", "ru", "bg", "mk", "tr", "az", "th", "lt", "lv")},
    **dict.fromkeys(("su", "xn--p1ai"), "ru"),
    **dict.fromkeys(("gr", "cy"), "el"),
    **dict.fromkeys(("sa", "ae", "eg", "iq", "jo", "kw", "lb", "ly", "om", "qa", "sy", "ye"), "ar"),
    **dict.fromkeys(("tw", "hk"), "zh-hant"),
    "ba": "bs",
    "by": "be",
    "cn": "zh",
    "cz": "cs",
    "ee": "et",
    "il": "he",
    "ir": "fa",
    "jp": "ja",
    "kg": "ky",
    "kr": "ko",
    "kz": "kk",
    "md": "ro",
    "rs": "sr",
    "si": "sl",
    "tj": "tg",
    "ua": "uk",
    "vn": "vi",
}
"""Languages of top-level domains whose encoding by default is not windows-1252."""
