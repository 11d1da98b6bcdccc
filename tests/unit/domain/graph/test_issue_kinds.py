from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.graph.issue_kinds import ISSUE_KINDS


def test_each_kind_of_issue_is_explained() -> None:
    assert set(ISSUE_KINDS) == set(IssueName)
    texts = [text for kind in ISSUE_KINDS.values() for text in (kind.meaning, kind.effect, kind.fix)]
    assert len(set(texts)) == 3 * len(IssueName)
    assert [text for text in texts if not (text[0].isupper() and text.endswith("."))] == []


def test_errors_come_first_and_notices_last() -> None:
    severities = [kind.severity for kind in ISSUE_KINDS.values()]
    order = [Severity.ERROR, Severity.WARNING, Severity.NOTICE]
    assert severities == sorted(severities, key=order.index)
    assert set(severities) == set(order)
