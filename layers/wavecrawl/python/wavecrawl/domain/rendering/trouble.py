"""What is wrong with a page that a browser loaded to its end."""

from typing import Final

from msgspec import Struct

NO_BROWSER: Final = "there is no browser"
"""How the problem of a page begins that no browser has loaded, as none is installed or none starts."""


OVER_BUDGET: Final = "not rendered, as too few bytes of render.max_crawl_bytes are left"
"""The problem of a page that was not rendered because earlier ones received nearly all bytes of the crawl."""


class Trouble(Struct, frozen=True, kw_only=True, gc=False):
    """Why a rendered page is not complete."""

    problem: str = ""  # one line; "" if it is complete
    may_pass: bool = False  # whether another rendering may succeed although this one gave the page content


def trouble_of(
    *, failure: str, is_passing: bool, error: str, loading: str, unfilled: str, was_shell: bool, has_gained: bool
) -> Trouble:
    """Return what is wrong with a rendered page.

    Scripts of complete pages may raise errors without any effect on the page, so an error counts only if the page was a
    shell, or gained nothing. `failure`, `error` and `loading` are those of `ports.browser.RenderedPage`; `unfilled`
    says what the DOM lacks.
    """
    if failure:
        return Trouble(problem=failure, may_pass=is_passing)
    if loading:
        return Trouble(problem=loading, may_pass=True)
    if error and (was_shell or not has_gained):
        return Trouble(problem=error)
    return Trouble(problem=unfilled, may_pass=True) if unfilled and was_shell else Trouble()
