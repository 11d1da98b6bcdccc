"""What the row of a checked URL says of it: a verdict, and the evidence for it. Both are SQL over the row."""

from typing import Final

from wavecrawl.domain.checks.kinds import Verdict

NOT_TRIED: Final = "('skipped', 'robots_denied', 'pending', 'deferred')"
"""States of URLs that a crawl did not request, as SQL."""

_LINKED = "('link', 'file')"  # visitors may be allowed what crawlers are not, and see any type of content
_LIMITING = "(429, 999)"  # of servers that refuse crawlers: 429 is RFC 6585, 999 is used by LinkedIn
_NO_WAY = "('redirect_loop', 'redirect_bad_target')"
_NOT_ALLOWED = "('blocked_address', 'denied_host')"
_OF_THE_WORKER = "('worker_out_of_time', 'poison', 'records_lost')"  # the server is not the reason

VERDICT: Final = f"""CASE
    WHEN reason IN {_NOT_ALLOWED} THEN '{Verdict.NOT_CHECKED}'
    WHEN reason = 'not_media' AND kind NOT IN {_LINKED} THEN '{Verdict.BROKEN}'
    WHEN state = 'skipped' AND status BETWEEN 200 AND 299
        THEN if(reason = 'incomplete', '{Verdict.UNKNOWN}', '{Verdict.OK}')
    WHEN state IN {NOT_TRIED} THEN '{Verdict.NOT_CHECKED}'
    WHEN state IN ('fetched', 'unchanged') THEN '{Verdict.OK}'
    WHEN state = 'not_found' OR (state = 'redirected' AND reason IN {_NO_WAY})
        OR (state = 'forbidden' AND kind NOT IN {_LINKED})
        OR (state = 'http_error' AND status NOT IN {_LIMITING})
        OR (state = 'failed' AND reason NOT IN {_OF_THE_WORKER}) THEN '{Verdict.BROKEN}'
    ELSE '{Verdict.UNKNOWN}' END"""
"""The verdict on a checked URL, from its columns `kind`, `state`, `reason` and `status`."""

EVIDENCE: Final = f"""CASE
    WHEN state = 'forbidden' AND kind IN {_LINKED} AND status = 401 THEN 'HTTP 401: the server wants credentials'
    WHEN state = 'forbidden' AND kind IN {_LINKED} THEN 'HTTP ' || status || ': the server may refuse crawlers only'
    WHEN state = 'http_error' AND status = 429 THEN 'HTTP 429: the server limits the requests of the crawler'
    WHEN state = 'http_error' AND status = 999 THEN 'HTTP 999: the server refuses crawlers'
    WHEN state = 'blocked' THEN 'a bot protection responds: ' || detail
    WHEN reason = 'redirect_limit' THEN 'more redirects in a row than the limit'
    WHEN reason = 'redirects_not_followed' THEN 'redirects are not followed (follow_redirects)'
    WHEN detail <> '' THEN detail
    WHEN state IN ('fetched', 'unchanged') THEN coalesce('HTTP ' || status, state)
    ELSE coalesce(nullif(reason, ''), state) END"""
"""The evidence for the verdict, from these columns and `detail`."""


def earlier_columns(columns: list[str]) -> list[str]:
    """Return the columns, as SQL, that a file of an earlier version lacks, given those that it has."""
    known = {"verdict": f"if(broken, '{Verdict.BROKEN}', {VERDICT})", "evidence": EVIDENCE}
    return [f"{sql} AS {name}" for name, sql in known.items() if name not in columns]
