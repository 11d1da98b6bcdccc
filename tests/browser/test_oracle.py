"""The walk through the applications finds what their sources say."""

import pytest
from tests.browser.oracle import Way
from tests.browser.walks import CRAWLED, walked
from tests.support.browser_apps import App
from tests.support.campaign import CAMPAIGN, slow

pytestmark = [slow, pytest.mark.parametrize("app", CRAWLED, ids=lambda app: app.name)]


def test_the_walk_follows_the_links_that_can_be_clicked(app: App) -> None:
    found = walked(app)
    assert found.reached(Way.LINK) == app.linked
    assert {(step.source, step.target) for step in found.steps if step.way is Way.LINK} == app.steps


def test_the_walk_opens_menus_and_presses_buttons(app: App) -> None:
    found = walked(app)
    assert {step.target for step in found.steps if step.way is Way.OPENED} == set(app.opened)
    pressed = {step.source: step.target for step in found.steps if step.way is Way.BUTTON}
    assert pressed.items() >= app.buttons.items()
    assert set(pressed.values()) == set(app.buttons.values())
    assert set(found.landed) == set(app.links)


def test_the_walk_sees_where_the_router_of_a_page_leads(app: App) -> None:
    assert {url: end for url, end in walked(app).landed.items() if end != url} == app.landed


def test_the_scripts_of_the_pages_have_no_errors(app: App) -> None:
    assert walked(app).errors == []


def test_a_clicked_link_leads_to_the_page_of_its_url(app: App) -> None:
    found = walked(app)
    if not CAMPAIGN:
        assert found.clicked == []
        return
    assert {step for step, _ in found.clicked} == {step for step in found.steps if step.way is Way.LINK}
    assert [step for step, end in found.clicked if end != found.landed[step.target]] == []
