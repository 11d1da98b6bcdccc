from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.traps.calendar import is_view
from wavecrawl.domain.traps.forms import is_special
from wavecrawl.domain.traps.pagination import series_of
from wavecrawl.domain.traps.tokens import places_of_tokens

PIECES = (
    "/", "/events", "/2026-11", "/2026/11/23", "/2026-W47", "/2026w3/", "/page/2", "/Page-3.html", "/p/4", "/seite-5",
    "/a1b2c3d4e5f6a7b8", ";sid=A1B2C3D4E5F6A7B8", ";A1B2C3D4E5F6A7B8", ";jsessionid=a1b2c3d4e5f6a7b8c9",
    "/123e4567-e89b-12d3-a456-426614174000", "=123E4567-e89b-12d3-a456-426614174000", "/installation", "/7", ".html",
    "?page=2", "?date=2026-11", "&q=x", "?sid=1234567", "&PHPSESSID=0123456789012345", ";jsessionid=0123456789012345",
    ";jsessionid=123456", "/session/1234567", "/sid=1234567/", "/(S(a1b2c3d4e5f6a7b8))", "?CFID=1234",
    "?a_session=1234567",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=5).map("".join))
def test_a_url_that_a_rule_looks_at_is_special(rest: str) -> None:
    url = f"https://site.example{rest}"
    looked_at = is_view(url) or bool(series_of(url)) or bool(places_of_tokens(url)) or "?" in url
    assert is_special(url) or not looked_at


def test_most_urls_are_not_special() -> None:
    for path in ("/", "/docs/install.html", "/library/asyncio-task.html", "/articles/2026", "/item-12"):
        assert not is_special(f"https://site.example{path}")
