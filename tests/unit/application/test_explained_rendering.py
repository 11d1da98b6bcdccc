"""What is shown of a page that was rendered, or was not."""

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.results_service import ResultsService
from tests.support.crawling import QUICK, crawl_inline
from tests.support.shell_site import PROBLEM, shell_site, shop_browser

from wavecrawl.application.explain_url import explain_url
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.rendering.settings import RenderSettings, Screenshots

SHELL = "#root, 1 element in the body"
SHOWN = replace(QUICK, render=RenderSettings(screenshots=Screenshots.HOME))
Lines = dict[str, str]


@pytest.fixture(name="shown", scope="module")
def pages_shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Lines, dict[str, object]]]:
    """Return the lines and the API's response for some pages."""
    folder = tmp_path_factory.mktemp("explained")
    with SiteServer(shell_site()) as server:
        done = crawl_inline(server.url, folder, SHOWN, browser=shop_browser())
        origin = server.origin
    store, service = LocalStore(folder), ResultsService(folder)
    shown = {}
    for path in ("/", "/app/home", "/broken", "/plain/harbour"):
        explanation = explain_url(origin + path, done.row, store)
        answer = service.ask("GET", f"/v1/crawls/{done.row.id.crawl}/urls/explain", query={"url": origin + path})
        shown[path] = (dict(explanation.lines(scored=False)), answer.body)
    store.close()
    service.close()
    return shown


def fields(answer: dict[str, object]) -> tuple[object, ...]:
    return tuple(answer[name] for name in ("shell", "rendered", "render_added", "render_problem"))


def test_a_rendered_shell_is_shown_with_the_evidence(shown: dict[str, tuple[Lines, dict[str, object]]]) -> None:
    lines, answer = shown["/app/home"]
    assert (lines["rendered"], lines["shell"]) == ("yes, it added links or text", SHELL)
    assert "screenshot" not in lines
    assert fields(answer) == (SHELL, True, True, "")
    assert answer["screenshot_url"] is None


def test_a_page_that_could_not_be_rendered_is_shown_with_the_problem(
    shown: dict[str, tuple[Lines, dict[str, object]]],
) -> None:
    lines, answer = shown["/broken"]
    assert (lines["rendered"], lines["shell"], lines["problem"]) == ("no", SHELL, PROBLEM)
    assert fields(answer) == (SHELL, False, False, PROBLEM)


def test_a_screenshot_is_shown_with_its_place(shown: dict[str, tuple[Lines, dict[str, object]]]) -> None:
    lines, answer = shown["/"]
    assert lines["rendered"] == "yes, it added nothing"
    assert lines["screenshot"].endswith(f"/screenshots/{answer['key']}.jpg")
    assert "/v1/downloads/" in str(answer["screenshot_url"])


def test_nothing_is_said_of_pages_without_scripts(shown: dict[str, tuple[Lines, dict[str, object]]]) -> None:
    lines, answer = shown["/plain/harbour"]
    assert not {"rendered", "shell", "problem", "screenshot"} & lines.keys()
    assert fields(answer) == ("", False, False, "")
