"""Controls that open something: menus, disclosures and tabs. They are opened to read the links that they add.

A control is opened only if a standard marks it as one:

- disclosure: `aria-expanded=false` (https://www.w3.org/WAI/ARIA/apg/patterns/disclosure/)
- menu button: `aria-haspopup`; while its menu is closed, `aria-expanded` may be absent
  (https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/)
- tab that is not selected (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/)
- `summary` of closed `details` (https://html.spec.whatwg.org/multipage/interactive-elements.html#the-summary-element)

Links, fields, and buttons that submit or reset a form are never used. Events are dispatched to the element, so nothing
that lies above it is hit, and the page does not get the rights that a click of a user gives.
"""

from asyncio import sleep
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from wavecrawl.adapters.browser.dom_script import WRITER
from wavecrawl.adapters.browser.page_traffic import PageTraffic
from wavecrawl.domain.rendering.settings import RenderSettings

IDLE = 0.5  # seconds without a request until the network counts as idle
POLL = 0.1  # seconds between two looks at a page
_SHOWS = 0.2  # of `settle`: a page that is not at rest by then after a control was opened is read as it is

# The state lives in the world of these scripts, as long as the document does.
_FIND = (
    "((limit) => {"
    + WRITER
    + """
  const OPENS = `details:not([open]) > summary:first-of-type, [aria-expanded=false],
    [aria-haspopup]:not([aria-haspopup=false], [aria-expanded=true]), [role=tab]:not([aria-selected=true])`;
  const NEVER = `input, select, textarea, option, [role=combobox], [role=link], :disabled, [aria-disabled=true]`;
  const LINK = 'a[href], area[href]';
  const LANDMARK = `header, nav, main, aside, footer, [role=banner], [role=navigation], [role=main],
    [role=complementary], [role=contentinfo]`;
  const VISIBLE = {opacityProperty: true, visibilityProperty: true};
  const known = new Set(), seen = new WeakSet(), waiting = [];
  let landmark = null, left = limit;
  const elements = (root, found = []) => {
    for (const one of root.querySelectorAll('*')) {
      found.push(one);
      const below = one.shadowRoot || (one.localName === 'iframe' && documentOf(one));
      if (below) elements(below, found);
    }
    return found;
  };
  const above = (element, selector) => {
    for (let at = element; at; at = at.assignedSlot || at.parentElement || at.getRootNode().host) {
      if (at.matches(selector)) return at;
    }
    return null;
  };
  const opens = (one) => one.isConnected && one.matches(OPENS) && !one.matches(NEVER) && one.checkVisibility(VISIBLE)
    && !(one.form && one.type !== 'button') && !above(one, LINK);
  const find = (all) => {
    const fresh = all.filter((one) => !seen.has(one) && opens(one));
    for (const one of fresh) seen.add(one);
    waiting.unshift(...fresh);  // those in what was just opened come first, as it may close
  };
  const address = () => document.URL.split('#')[0];
  const start = address();
  const added = (all) => all.filter((one) => {
    if (!one.matches(LINK)) return false;
    const url = absolute(one.getAttribute('href'), one.baseURI).split('#')[0];
    return !known.has(url) && known.add(url);
  });
  const press = (one) => {
    const pointer = {bubbles: true, cancelable: true, composed: true, pointerType: 'mouse', isPrimary: true, detail: 1};
    one.dispatchEvent(new PointerEvent('pointerdown', pointer));
    one.dispatchEvent(new MouseEvent('mousedown', pointer));
    one.focus({preventScroll: true});
    one.dispatchEvent(new PointerEvent('pointerup', pointer));
    one.dispatchEvent(new MouseEvent('mouseup', pointer));
    one.click();
  };
  const open = () => {
    while (waiting.length) {
      const one = waiting.shift();
      if (!opens(one)) continue;
      landmark = above(one, LANDMARK);
      press(one);
      return true;
    }
    return false;
  };
  const look = () => {
    if (address() !== start) return null;
    const all = elements(document), links = left > 0 ? added(all) : [];
    find(all);
    let html = write(links.map((one) => [one, one.baseURI]), left);
    left -= html.length;
    if (html && landmark) {
      const role = landmark.getAttribute('role');
      html = `<${landmark.localName}${role ? ` role="${quoted(role)}"` : ''}>${html}</${landmark.localName}>`;
    }
    return [all.length, html];
  };
  globalThis[Symbol.for('controls')] = {open, look};
  const all = elements(document);
  find(all);
  if (waiting.length) added(all);
  return JSON.stringify(waiting.length ? all.length : 0);
})(%d)
"""
)
_STATE = "globalThis[Symbol.for('controls')]"
_OPEN = f"(() => {{ try {{ return JSON.stringify({_STATE}.open()); }} catch {{ return 'false'; }} }})()"
# Scripts and layout that are due come first: so the links do not depend on how fast the machine is.
_LOOK = f"""
new Promise((done) => requestIdleCallback(done, {{timeout: 500}}))
  .then(() => JSON.stringify({_STATE}.look())).catch(() => 'null')
"""

Read = Callable[[str], Awaitable[Any]]
"""Returns the value of an expression for JSON. Raises TimeoutError if the page is busy."""
Rests = Callable[[], Awaitable[bool]]
"""Returns whether neither the network nor a script has anything to do that is known."""


class Controls:
    """The controls of one page that was read. Make a new one for each."""

    def __init__(self, read: Read, rests: Rests, traffic: PageTraffic, settings: RenderSettings) -> None:
        self._read = read
        self._rests = rests
        self._size = 0  # elements
        self._traffic = traffic
        self._settings = settings
        self.links = ""  # HTML of the links that were not in the document before, each once

    async def open(self) -> None:
        """Open controls one after the other, in document order, until one of them leads to another page.

        Controls that appear are opened next. Raise TimeoutError if the page is busy.
        """
        most = self._settings.open_controls
        self._size = await self._read(_FIND % self._settings.max_html) if most else 0
        if not self._size:
            return
        self._traffic.refuse_writes()
        for _ in range(most):
            if not await self._read(_OPEN):
                break
            if not await self._add_links():
                return
        await sleep(POLL)
        await self._add_links()  # of controls that had no effect that could be seen at once

    async def _add_links(self) -> bool:
        """Add the links that a control has added when the page is at rest. Return False if it is another page.

        The page is at rest if it has as many elements as before, and waits for nothing.
        """
        until = monotonic() + self._settings.settle * _SHOWS
        links = ""
        while True:
            look = await self._read(_LOOK)
            if look is None:
                return False
            before, (self._size, added) = self._size, look
            links += added
            if monotonic() > until or (self._size == before and await self._rests()):
                break
            await sleep(POLL)
        self.links += links
        return True
