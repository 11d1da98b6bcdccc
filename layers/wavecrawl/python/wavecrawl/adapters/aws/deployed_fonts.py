"""Which scripts the screenshots of a deployment can show, for `wavecrawl doctor`."""

from typing import Final

from wavecrawl.adapters.aws.deployment import Deployment
from wavecrawl.application.finding import Finding

_CHECK: Final = "fonts"
_ALL: Final = "Latin, Greek, Cyrillic, Hebrew, Chinese, Japanese, Korean, Arabic, Devanagari, Thai, emoji"
_MISSING: Final = (
    "screenshots show text in Latin, Greek, Cyrillic and Hebrew only. For Chinese, Japanese, Korean, Arabic,"
    " Devanagari, Thai and emoji, deploy the optional layer with fonts: make deploy ARGS='-c fonts=true'"
)


def fonts_finding(deployment: Deployment) -> Finding:
    """Return whether rendered pages have fonts for most scripts. Without rendering they need none."""
    layer = deployment.outputs.get("Fonts")  # an earlier version has no such output, and no such layer
    if layer == "none needed":
        return Finding(check=_CHECK, detail="none needed, as no pages are rendered")
    if layer == "all":
        return Finding(check=_CHECK, detail=_ALL)
    return Finding(check=_CHECK, problem=_MISSING, optional=True)
