"""The kinds of issues that the checks of URLs find."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.graph.issue import IssueName

BROKEN_CHECKS: Final[Mapping[IssueName, CheckKind]] = MappingProxyType(
    {
        IssueName.BROKEN_EXTERNAL_LINK: CheckKind.LINK,
        IssueName.BROKEN_IMAGE: CheckKind.IMAGE,
        IssueName.BROKEN_SCRIPT: CheckKind.SCRIPT,
        IssueName.BROKEN_STYLESHEET: CheckKind.STYLESHEET,
        IssueName.BROKEN_RESOURCE: CheckKind.RESOURCE,
    }
)
"""The issues of URLs that cannot be fetched, each with the kind of URLs."""

CHECKED_ISSUES: Final[Mapping[IssueName, CheckKind]] = MappingProxyType(
    {**BROKEN_CHECKS, IssueName.MOVED_EXTERNAL_LINK: CheckKind.LINK}
)
"""All of them. Those of links need `checks.external`, the others `checks.resources`; images can be stored instead."""

CHECKED_KINDS: Final[Mapping[IssueName, CheckKind]] = MappingProxyType(
    {**CHECKED_ISSUES, IssueName.BROKEN_LINK: CheckKind.FILE}
)
"""The kinds of checked URLs whose issues are missing if they were not checked."""
