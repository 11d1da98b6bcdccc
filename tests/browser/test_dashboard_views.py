"""What every view of the dashboard must pass: accessible, not wider than its window, clear while it loads or cannot."""

from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, Route
from tests.browser.dashboard_views import VIEWS, View
from tests.support.campaign import ALL, long, slow
from tests.support.dashboard import Visitor, visitor
from tests.support.patience import eventually
from tests.support.serving import Served, served

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

TRY_AGAIN = """shown => {
    for (const button of document.querySelectorAll("[role=alert] button")) button.click();
    return document.querySelector(shown) !== null;
}"""
TO_REACH = """() => {
    window.isShown = one => one.checkVisibility({visibilityProperty: true}) && !one.closest("[inert]");
    const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
    window.toReach = new Set([...all].filter(one => one.tabIndex >= 0 && !one.matches(":disabled") && isShown(one)));
    window.first = undefined;
    document.activeElement.blur();
    return toReach.size;
}"""
REACHED = """() => {
    const one = document.activeElement;
    if (one === document.body) return {again: false, ring: ""};
    if (one === window.first) return {again: true, ring: ""};
    window.first ??= one;
    toReach.delete(one);
    const {outlineStyle, outlineWidth, boxShadow} = getComputedStyle(one);
    const ring = (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
    return {again: false, ring: ring ? "" : one.outerHTML.slice(0, 200)};
}"""
NOT_REACHED = (
    """() => [...toReach].filter(one => one.isConnected && isShown(one)).map(one => one.outerHTML.slice(0, 200))"""
)
MOST_TABS = 2_000
MANY_REQUESTS = ("--requests-a-minute", "100000")
SHORT = VIEWS if ALL else VIEWS[::4]
"""The views that the tests look at: outside CI each fourth, as all take minutes."""
LOADING = tuple(view for view in SHORT if view.loads)
WINDOWS = [
    pytest.param(1280, False, SHORT, id="wide"),
    *([pytest.param(390, True, VIEWS, id="phone, dark")] if ALL else []),
    pytest.param(640, False, VIEWS[::2], id="zoom of 200 %", marks=long),
    pytest.param(320, False, VIEWS[1::2], id="small phone", marks=long),
]
"""Widths in CSS pixels, whether dark, and views. 1280 pixels are 640 wide at a zoom of 200 % (WCAG 1.4.4)."""


@pytest.fixture(name="service", scope="module")
def a_service_with_two_crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with SiteServer(demo_site()) as site, served(tmp_path_factory.mktemp("views"), *MANY_REQUESTS) as service:
        settings = {"max_pages": 300, "polite": {"interval": 0.0}}
        made = service.ask("POST", "/v1/sites", {"url": site.url, "settings": settings}).json()
        for _ in range(2):
            crawl = service.ask("POST", f"/v1/sites/{made['site']}/crawls").json()["crawl"]
            assert service.wait_for(crawl)["status"] == "completed"
        hook = service.ask("POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/hook", "description": "Chat"}).json()
        service.ask("POST", f"/v1/webhooks/{hook['webhook']}/test")
        service.ask("POST", "/v1/admin/tenants", {"tenant": "acme", "name": "Acme", "plan": "starter"})
        service.ask("POST", "/v1/admin/tenants/acme/keys", {"name": "First"})
        service.ask("POST", "/v1/keys", {"name": "Reports", "role": "read", "expires_in_days": 30})
        yield service


@pytest.fixture(name="names", scope="module")
def the_names_in_addresses(service: Served) -> dict[str, str]:
    last = service.ask("GET", "/v1/crawls").json()["crawls"][0]
    pages = service.ask("GET", f"/v1/crawls/{last['crawl']}/pages").json()["pages"]
    page = next(one["key"] for one in pages if one["title"] == "Products")
    hook = service.ask("GET", "/v1/webhooks").json()["webhooks"][0]["webhook"]
    return {"site": last["site"], "crawl": last["crawl"], "page": page, "webhook": hook}


def opened(person: Visitor, service: Served, view: View, names: dict[str, str]) -> str:
    """Open a view, from another one, so that it is loaded in any case."""
    path = view.path.format(**names)
    person.page.goto(f"{service.url}/#/left")
    person.sees("There is nothing at this address")
    person.page.goto(f"{service.url}/#/{path}")
    return path


def signs_in(person: Visitor, service: Served) -> None:
    person.page.goto(f"{service.url}/#key={service.key}")
    person.page.locator(".site-card").first.wait_for()


@pytest.mark.parametrize(("width", "dark", "views"), WINDOWS)
def test_each_view_is_accessible_and_fits(
    desktop: Browser, service: Served, names: dict[str, str], width: int, views: tuple[View, ...], *, dark: bool
) -> None:
    with visitor(desktop, service.url, width=width, dark=dark, offline_ok=True) as person:
        person.sees("Sign in to wavecrawl")
        assert person.accessibility_problems() == []
        signs_in(person, service)
        assert service.key not in person.page.url
        for view in views:
            path = opened(person, service, view, names)
            person.page.locator(view.shown).first.wait_for()
            assert (path, person.accessibility_problems()) == (path, [])
            assert (path, person.is_wider_than_its_window()) == (path, False)
        assert person.errors == []


@slow
def test_each_view_says_that_it_loads(desktop: Browser, service: Served, names: dict[str, str]) -> None:
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    with visitor(desktop, service.url) as person:
        signs_in(person, service)
        for view in LOADING:
            person.page.route("**/v1/**", hold)
            opened(person, service, view, names)
            person.page.locator(".skeleton").first.wait_for()
            while waiting:
                waiting.pop().continue_()
            person.page.unroute("**/v1/**")
            person.page.locator(view.shown).first.wait_for()
        assert person.errors == []


@pytest.mark.parametrize("offline", [pytest.param(False, marks=long), True])
def test_each_view_explains_an_error_and_tries_again(
    desktop: Browser, service: Served, names: dict[str, str], *, offline: bool
) -> None:
    problem = {"title": "Broken", "detail": "The store is being repaired.", "status": 500}

    def fail(route: Route) -> None:
        if offline:
            route.abort()
        else:
            route.fulfill(status=500, json=problem, content_type="application/problem+json")

    said = "The service does not respond" if offline else "The store is being repaired."
    with visitor(desktop, service.url, offline_ok=True) as person:
        signs_in(person, service)
        for view in LOADING:
            person.page.route("**/v1/**", fail)
            path = opened(person, service, view, names)
            person.page.get_by_role("alert").get_by_text(said).first.wait_for()
            assert (path, person.page.locator("h1").count()) == (path, 1)
            person.page.unroute("**/v1/**")
            assert eventually(partial(person.page.evaluate, TRY_AGAIN, view.shown), poll=0.5)
        assert person.errors == []


@slow
def test_each_view_can_be_used_with_the_keyboard(desktop: Browser, service: Served, names: dict[str, str]) -> None:
    problems: dict[str, tuple[list[str], list[str]]] = {}
    with visitor(desktop, service.url, offline_ok=True) as person:
        signs_in(person, service)
        for view in SHORT:
            path = opened(person, service, view, names)
            person.page.locator(view.shown).first.wait_for()
            assert person.page.evaluate(TO_REACH) > 0
            without_ring: list[str] = []
            for _ in range(MOST_TABS):
                person.page.keyboard.press("Tab")
                reached = person.page.evaluate(REACHED)
                if reached["again"]:
                    break
                without_ring += [reached["ring"]] if reached["ring"] else []
            else:
                pytest.fail(f"{path}: the focus does not come back after {MOST_TABS} presses of Tab")
            problems[path] = (person.page.evaluate(NOT_REACHED), without_ring)
        assert {path: found for path, found in problems.items() if any(found)} == {}
        assert person.errors == []
