"""Language codes of hreflang: what search engines accept.

A code is a language of ISO 639-1, optionally with a script of ISO 15924 and a region of ISO 3166-1, or `x-default`
(https://developers.google.com/search/docs/specialty/international/localized-versions). Three-letter languages, which
BCP 47 allows for languages without a shorter code, are accepted too.
"""

import re
from typing import Final

_CODE: Final = re.compile(
    r"(?:(?P<language>[a-z]{2})|[a-z]{3})(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|[0-9]{3}))?"
)
_LANGUAGES: Final = frozenset(
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en "
    "eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja "
    "jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb "
    "nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so "
    "sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh "
    "zu".split()
)  # fmt: skip
_REGIONS: Final = frozenset(
    "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz "
    "ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo "
    "fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je "
    "jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo "
    "mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw "
    "py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm "
    "tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw".split()
)  # fmt: skip


def hreflang_problem(code: str) -> str:
    """Return what is wrong with a lower-cased value of hreflang, "" if it is valid."""
    if code == "x-default":
        return ""
    parts = _CODE.fullmatch(code)
    if parts is None:
        return f"{code} is not a language, optionally with a script and a region"
    language, region = parts["language"], parts["region"]
    if language and language not in _LANGUAGES:
        return f"{code}: {language} is no language of ISO 639-1"
    if region and (region.isdigit() or region not in _REGIONS):
        return f"{code}: {region} is no region of ISO 3166-1"
    return ""
