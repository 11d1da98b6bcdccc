"""Menus, disclosures and tabs are opened to read the links that they add; nothing else is clicked."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from tests.browser.conftest import Open
from tests.browser.pages import SETTINGS, URL, request
from tests.browser.test_dom import Api, links

from wavecrawl.adapters.browser.chromium import ChromiumBrowser

ADD = """const add = (name, at) => (at ?? out).insertAdjacentHTML('beforeend', `<a href=/${name}>${name}</a>`);
const end = () => add('end', document.body);"""
MARK = "for (const one of document.querySelectorAll('[id]')) one.addEventListener('click', () => add(one.id)); end();"


def page(controls: str, script: str = MARK) -> str:
    """Return a page with controls. It is complete when the script calls `end`."""
    return f"<body>{controls}<p id=out></p><script>{ADD}{script}</script>"


def opened_links(browser: ChromiumBrowser, html: str) -> list[str]:
    made = browser.render(request(html))
    assert (made.problem, made.url) == ("", URL)
    assert "/end" in links(made.html)
    return [(link or "").removeprefix("http://site.example") for link in links(made.opened)]


def test_what_standards_mark_as_opening_something_is_opened_in_document_order(browser: ChromiumBrowser) -> None:
    controls = """<button id=disclosure aria-expanded=false>1</button><details><summary id=summary>2</summary></details>
    <div id=menu role=button aria-haspopup=menu>3</div><button id=popup aria-haspopup=true>4</button>
    <button id=tab role=tab aria-selected=false>5</button>
    <form action=/sent><button type=button id=in-form aria-expanded=false>6</button></form>"""
    found = opened_links(browser, page(controls))
    assert found == ["/disclosure", "/summary", "/menu", "/popup", "/tab", "/in-form"]


def test_nothing_else_is_clicked(browser: ChromiumBrowser) -> None:
    controls = """<button id=plain>x</button><button id=open aria-expanded=true aria-haspopup=menu>x</button>
    <button id=none aria-haspopup=false>x</button><details open><summary id=summary>x</summary></details>
    <button id=selected role=tab aria-selected=true>x</button><button id=off aria-expanded=false disabled>x</button>
    <button id=hidden aria-expanded=false style='visibility:hidden'>x</button>
    <a href=/l id=link aria-expanded=false>x</a><a href=/l><b id=in-link aria-haspopup=menu>x</b></a>
    <input id=field aria-haspopup=listbox><p id=box role=combobox aria-expanded=false>x</p>
    <form action=/sent><button id=submit aria-expanded=false>x</button></form>
    <form id=other></form><button form=other id=outside aria-haspopup=menu>x</button>"""
    assert opened_links(browser, page(controls)) == []


def test_links_in_what_was_opened_are_found_though_it_closes_again(browser: ChromiumBrowser) -> None:
    controls = "<nav id=menus></nav><x-menu></x-menu><iframe srcdoc='<button aria-expanded=false>f</button>'></iframe>"
    script = """
    const menu = (at, name, below) => {
      at.insertAdjacentHTML('beforeend', `<button aria-expanded=false>${name}</button>`);
      const button = at.lastElementChild;
      button.onclick = () => {
        out.textContent = '';
        add(name + '#top', out);
        button.setAttribute('aria-expanded', 'true');
        if (below) menu(out, below);
      };
    };
    menu(menus, 'one', 'inner'); menu(menus, 'two');
    const shadow = document.querySelector('x-menu').attachShadow({mode: 'open'});
    shadow.innerHTML = '<p></p>';
    menu(shadow.firstChild, 'shadow');
    document.querySelector('iframe').onload = (e) => {
      const inner = e.target.contentDocument;
      inner.querySelector('button').onclick = () => add('frame', inner.body);
      end();
    };"""
    made = browser.render(request(page(controls, script)))
    assert [(link or "").rpartition("/")[2] for link in links(made.opened)] == [
        *("one#top", "inner#top", "two#top", "shadow#top", "frame")
    ]
    assert made.opened.startswith('<nav><a href="http://site.example/one#top">one#top</a></nav>')


def test_a_control_gets_the_events_of_a_mouse(browser: ChromiumBrowser) -> None:
    script = """const types = ['pointerdown', 'mousedown', 'focus', 'pointerup', 'mouseup', 'click'];
    let seen = '';
    for (const type of types) {
      b.addEventListener(type, () => { seen += type; if (seen === types.join('')) add('all'); });
    }
    end();"""
    assert opened_links(browser, page("<button id=b aria-expanded=false>x</button>", script)) == ["/all"]


def test_the_number_of_controls_is_limited(opened: Open) -> None:
    controls = "".join(f"<button id=c{number} aria-expanded=false>x</button>" for number in range(4))
    found = {
        most: opened_links(opened(settings=replace(SETTINGS, open_controls=most)), page(controls)) for most in (0, 2)
    }
    assert found == {0: [], 2: ["/c0", "/c1"]}


@pytest.fixture(name="api", scope="module")
def an_api() -> Iterator[Api]:
    with Api() as server:
        yield server


def test_a_control_can_load_its_links_and_sends_nothing(api: Api, opened: Open) -> None:
    near = opened(allowed=(f"127.0.0.1:{api.port}",))
    script = f"""const api = '{api.origin}', json = {{'content-type': 'application/json'}};
    fetch(api + '/before', {{method: 'POST', body: 'x'}}).catch(() => 0).then(end);
    b.onclick = () => {{
      fetch(api + '/post', {{method: 'POST', body: 'x'}}).catch(() => add('refused'));
      fetch(api + '/kept', {{method: 'POST', body: 'x', keepalive: true}}).catch(() => 0);
      fetch(api + '/json', {{method: 'PUT', body: '1', headers: json}}).catch(() => 0);
      navigator.sendBeacon(api + '/beacon', 'x');
      out.innerHTML = `<form method=post action=${{api}}/form target=f></form><iframe name=f></iframe>`;
      document.forms[0].submit();
      fetch(api + '/loaded').then((r) => r.text()).then(() => add('loaded'));
    }};"""
    made = near.render(request(page("<button id=b aria-expanded=false>x</button>", script)))
    assert made.problem == ""
    assert set(links(made.opened)) == {"http://site.example/refused", "http://site.example/loaded"}
    assert {(served.method, served.path) for served in api.log} == {("POST", "/before"), ("GET", "/loaded")}
