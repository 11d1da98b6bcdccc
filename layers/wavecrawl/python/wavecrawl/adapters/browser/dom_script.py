"""The scripts that read a page. They run in a world of their own, which the page's scripts cannot change."""

import json
from collections.abc import Sequence

_PROBE = r"""
new Promise((done) => %s ? requestIdleCallback(done, {timeout: 500}) : done()).then(() => ((roots, words) => {
  const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);
  let frames = 0;
  const inner = (frame) => { try { return frame.contentDocument; } catch { return null; } };
  const count = (root) => {
    let elements = 0, links = 0;
    for (const one of root.querySelectorAll('*')) {
      elements++;
      if (one.localName === 'a' && one.hasAttribute('href')) links++;
      if (FRAMES.has(one.localName)) frames++;
      const below = one.shadowRoot || (one.localName === 'iframe' && inner(one));
      if (below) { const [more, linked] = count(below); elements += more; links += linked; }
    }
    return [elements, links];
  };
  const filled = (selector) => {
    try { return [...document.querySelectorAll(selector)].some((one) => one.childElementCount || one.shadowRoot); }
    catch { return false; }
  };
  const [elements, links] = count(document);
  const present = roots.filter((one) => { try { return document.querySelector(one); } catch { return false; } });
  const full = present.some(filled);
  const textLength = () => document.body ? document.body.innerText.trim().length : 0;
  const shows = (links) => links > 0 || textLength() > 0 || !!document.querySelector('img, svg, canvas, video');
  const VISIBLE = {opacityProperty: true, visibilityProperty: true};
  const SKIPPED = 'script, style, noscript, template, title, textarea, h1, h2, h3, h4, h5, h6, a, code, pre, option';
  const waits = (text) => {
    const said = text.trim().toLowerCase();
    if (!said || said.length > 80) return false;
    const bare = said.replace(/[.…\s]+$/, '');
    const goesOn = /(\.\.|\u2026)$/.test(said);
    return words.some((word) => bare === word || (goesOn && (bare.startsWith(word) || bare.endsWith(word))));
  };
  const saysLoading = () => {
    const walk = document.body ? document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT) : null;
    for (let left = 20000; walk && walk.nextNode() && left > 0; left--) {
      const parent = walk.currentNode.parentElement;
      if (parent && waits(walk.currentNode.data) && !parent.closest(SKIPPED) && parent.checkVisibility(VISIBLE)) {
        return walk.currentNode.data.trim();
      }
    }
    const busy = document.querySelector('[aria-busy=true]');
    return busy && busy.checkVisibility(VISIBLE) ? 'aria-busy' : '';
  };
  return JSON.stringify({
    parsed: document.readyState !== 'loading',
    filled: full || (shows(links) && (!present.some((one) => one[0] === '#') || textLength() > 300)),
    links: links > 0,
    loaded: document.readyState === 'complete',
    frames: frames > 0,
    size: `${elements} ${links}`,
    loading: document.scripts.length ? saysLoading() : '',
  });
})(%s, %s))
"""

WRITER = r"""
  const VOID = new Set(['area','base','br','col','embed','hr','img','input','link','meta','source','track','wbr']);
  const RAW = new Set(['script','style','noscript','iframe','noembed','noframes','plaintext','xmp']);
  const URLS = new Set(['href','src','action','formaction','data','poster','cite']);
  const quoted = (text) => text.replace(/[&"\u00a0<>]/g, (c) =>
    ({'&': '&amp;', '"': '&quot;', '\u00a0': '&nbsp;', '<': '&lt;', '>': '&gt;'})[c]);
  const escaped = (text) => text.replace(/[&\u00a0<>]/g, (c) =>
    ({'&': '&amp;', '\u00a0': '&nbsp;', '<': '&lt;', '>': '&gt;'})[c]);
  const absolute = (value, base) => { try { return new URL(value, base).href; } catch { return value; } };
  const attributes = (element, base) => {
    let text = '';
    for (const {name, value} of element.attributes) {
      text += ` ${name}="${quoted(base && URLS.has(name) ? absolute(value, base) : value)}"`;
    }
    return text;
  };
  const documentOf = (frame) => { try { return frame.contentDocument; } catch { return null; } };
  // Nodes come with the base of their URLs: '' to leave these as they are. The tree is walked with a stack, as a page
  // can be nested deeper than the stack of calls.
  const write = (nodes, limit) => {
    const pieces = [], tasks = [];  // a task is a text to put, or a node with its base
    let size = 0;
    const put = (text) => { size += text.length; pieces.push(text); };
    const push = (nodes, base) => {
      for (let at = nodes.length - 1; at >= 0; at--) tasks.push([nodes[at], base]);
    };
    const open = (element, base) => {
      const name = element.localName;
      if (name === 'slot' && element.getRootNode() instanceof ShadowRoot) {
        const assigned = element.assignedNodes();
        push(assigned.length ? assigned : element.childNodes, base);
        return;
      }
      const inner = name === 'iframe' || name === 'frame' ? documentOf(element) : null;
      if (inner && inner.body) {
        put(`<div data-frame="${quoted(inner.URL)}">`);
        tasks.push('</div>');
        push(inner.body.childNodes, inner.baseURI);
        return;
      }
      put(`<${name}${attributes(element, base)}>`);
      if (VOID.has(name)) return;
      if (RAW.has(name)) { put(`${element.textContent}</${name}>`); return; }
      tasks.push(`</${name}>`);
      const children = name === 'template' && element.content ? element.content.childNodes : element.childNodes;
      if (element.shadowRoot) {
        push([...children].filter((child) => !child.assignedSlot), base);
        push(element.shadowRoot.childNodes, base || element.baseURI);
      } else {
        push(children, base);
      }
    };
    tasks.push(...nodes.reverse());
    while (tasks.length && size < limit) {
      const task = tasks.pop();
      if (typeof task === 'string') { put(task); continue; }
      const [node, base] = task;
      if (node.nodeType === Node.ELEMENT_NODE) open(node, base);
      else if (node.nodeType === Node.TEXT_NODE) put(escaped(node.data));
      else if (node.nodeType === Node.COMMENT_NODE) put(`<!--${node.data}-->`);
      else if (node.nodeType === Node.DOCUMENT_TYPE_NODE) put(`<!DOCTYPE ${node.name}>`);
    }
    return pieces.join('').slice(0, limit);
  };
"""
"""Statements that define `write`, `absolute` and `documentOf`."""

_SERIALISE = (
    "((limit) => {"
    + WRITER
    + """
  const nodes = [document.doctype, document.documentElement].filter((node) => node);
  return JSON.stringify([write(nodes.map((node) => [node, '']), limit), document.URL]);
})(%d)
"""
)

STYLES = r"""
(() => {
  const limited = (text) => String(text).slice(0, 300);
  const style = (element) => getComputedStyle(element);
  const body = document.body || document.documentElement;
  const heading = document.querySelector('h1, h2');
  const HEADER = 'header, nav, [role=banner], [role=navigation]';
  const BUTTON = 'button, [role=button], input, [class*=btn], [class*=button], [class*=cta]';
  const buttons = [...document.querySelectorAll('a, button, [role=button], input[type=submit]')]
    .filter((element) => element.closest(HEADER) || element.matches(BUTTON))
    .slice(0, 40)
    .map((element) => ({
      background: limited(style(element).backgroundColor), colour: limited(style(element).color),
      in_header: !!element.closest(HEADER),
    }));
  const variables = {};
  let left = 2000;
  for (const [name, value] of document.documentElement.computedStyleMap()) {
    if (name.startsWith('--') && left-- > 0) variables[limited(name)] = limited(value);
  }
  return JSON.stringify({
    background: limited(style(body).backgroundColor), colour: limited(style(body).color),
    body_font: limited(style(body).fontFamily), heading_font: heading ? limited(style(heading).fontFamily) : '',
    buttons, variables,
  });
})()
"""
"""An expression for the computed styles of the elements that show the brand (`domain.brand.computed`)."""

SIZE = "JSON.stringify([document.documentElement.scrollWidth, document.documentElement.scrollHeight])"
"""An expression for width and height of the page in pixels."""

QUIET = """
for (const name of Object.keys(console)) { try { console[name] = () => {}; } catch {} }
window.close = () => {};
window.print = () => {};
"""
"""A script that runs before those of the page: messages to the console are not wanted, and a page stays open."""


WATCH = """
(() => {
  if (window !== top) return;
  const listen = EventTarget.prototype.addEventListener, then = Promise.prototype.then;
  const due = new Map();  // when timers are due, by id: those that run once, and the first turn of others
  let scrolls = 0, animates = false;  // whether scripts notice scrolling, and the end of animations
  let open = 0, endless = 0;  // requests of scripts without a result, and calls whose end is not seen
  const begin = () => { open++; let is = true; return () => { if (is) { is = false; open--; } }; };
  const wrapped = (owner, name, handler) => {
    try { if (owner && owner[name]) owner[name] = new Proxy(owner[name], handler); } catch {}
  };
  wrapped(window, 'fetch', {apply(target, self, args) {
    const end = begin(), made = Reflect.apply(target, self, args);
    Reflect.apply(then, made, [end, end]);
    return made;
  }});
  wrapped(XMLHttpRequest.prototype, 'send', {apply(target, self, args) {
    const end = begin();
    Reflect.apply(listen, self, ['loadend', end, {once: true}]);
    try { return Reflect.apply(target, self, args); } catch (error) { end(); throw error; }
  }});
  const counted = {
    apply(target, self, args) { endless++; return Reflect.apply(target, self, args); },
    construct(target, args, made) { endless++; return Reflect.construct(target, args, made); },
  };
  for (const name of ['WebSocket', 'EventSource', 'Worker', 'SharedWorker', 'RTCPeerConnection']) {
    wrapped(window, name, counted);
  }
  for (const name of ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming']) {
    wrapped(WebAssembly, name, counted);
  }
  wrapped(window.IDBFactory?.prototype, 'open', counted);
  wrapped(window.CacheStorage?.prototype, 'open', counted);
  const timed = (name) => { window[name] = new Proxy(window[name], {apply(target, self, args) {
    const id = Reflect.apply(target, self, args);
    due.set(id, performance.now() + (Number(args[1]) || 0));
    return id;
  }}); };
  const cleared = (name) => { window[name] = new Proxy(window[name], {apply(target, self, args) {
    due.delete(args[0]);
    return Reflect.apply(target, self, args);
  }}); };
  const frames = new Set();  // callbacks of frames that are due
  let shown = 0, time = -1;  // frames with callbacks until now, and the time of the last
  const frame = window.requestAnimationFrame;
  wrapped(window, 'requestAnimationFrame', {apply(target, self, args) {
    const callback = args[0];
    if (typeof callback !== 'function') return Reflect.apply(target, self, args);
    const id = Reflect.apply(target, self, [(...given) => {
      frames.delete(id);
      if (given[0] !== time) { time = given[0]; shown++; }  // the callbacks of a frame are called with one time
      return callback(...given);
    }]);
    frames.add(id);
    return id;
  }});
  wrapped(window, 'cancelAnimationFrame', {apply(target, self, args) {
    frames.delete(args[0]);
    return Reflect.apply(target, self, args);
  }});
  ['setTimeout', 'setInterval'].forEach(timed);
  ['clearTimeout', 'clearInterval'].forEach(cleared);
  const observe = IntersectionObserver.prototype.observe;
  IntersectionObserver.prototype.observe = new Proxy(observe, {apply(target, self, args) {
    scrolls++;
    const end = begin();  // it is called when the next frame is shown
    frame(() => frame(end));
    return Reflect.apply(target, self, args);
  }});
  EventTarget.prototype.addEventListener = new Proxy(listen, {apply(target, self, args) {
    if (args[0] === 'scroll' || args[0] === 'wheel' || args[0] === 'touchmove') scrolls++;
    if (/^(animation|transition)(end|cancel|iteration)$/.test(args[0])) animates = true;
    return Reflect.apply(target, self, args);
  }});
  Object.defineProperty(window, Symbol.for('wavecrawl'), {value: {
    nextTimer(within) {
      const now = performance.now();
      let last = 0;
      for (const one of animates ? document.getAnimations() : []) {
        const left = one.effect.getComputedTiming().endTime - one.currentTime;
        if (one.playState === 'running' && left <= within) last = Math.max(last, left + 50);
      }
      for (const [id, at] of due) {
        if (at + 50 < now) due.delete(id);
        else if (at - now <= within) last = Math.max(last, at - now + 50);
      }
      return last;
    },
    waits() {
      if (endless > 0) return 2;
      const now = performance.now();
      return +(open > 0 || frames.size > 0 || [...due.values()].some((at) => at + 50 >= now && at - now <= 500));
    },
    animates: (most) => frames.size > 0 && shown < most,
    scrolls: () => scrolls > 0 || window.onscroll !== null || document.onscroll !== null,
  }});
})()
"""
"""A script that runs before those of the page, in their world.

It notes timers, frames, requests of scripts that have no result, and whether scrolling has an effect.
"""

_FRAMES = 30  # half a second at the usual rate; on a busy machine these take longer, and so does what they change

WAITS = "+(globalThis[Symbol.for('wavecrawl')]?.waits() ?? 2)"
"""An expression, in the world of the page's scripts, for what they wait for.

0: nothing, 1: something that ends or is due soon, 2: something whose end cannot be seen, such as messages.
"""

ANIMATES = f"+!!globalThis[Symbol.for('wavecrawl')]?.animates({_FRAMES})"
"""An expression, in the world of the page's scripts, for 1 if a frame is due, except for animations that go on."""

SCROLLS = "+!!globalThis[Symbol.for('wavecrawl')]?.scrolls()"
"""An expression, in the world of the page's scripts, for 1 if scrolling has an effect, and 0 if it has none."""

SCROLL = r"""
(() => {
  const links = (root, found = new Set()) => {
    for (const one of root.querySelectorAll('*')) {
      if (one.localName === 'a' && one.hasAttribute('href')) found.add(one.href.split('#')[0]);
      if (one.shadowRoot) links(one.shadowRoot, found);
    }
    return found;
  };
  const state = globalThis[Symbol.for('scrolling')] ??= {before: links(document)};
  const page = document.scrollingElement || document.documentElement;
  const boxes = [...document.querySelectorAll('main, [role=main], div, section, ul, ol')].slice(0, 2000).filter((one) =>
    one.scrollHeight > one.clientHeight + 100 && /auto|scroll/.test(getComputedStyle(one).overflowY));
  for (const one of [page, ...boxes.slice(0, 10)]) one.scrollTo({top: one.scrollHeight, behavior: 'instant'});
  const now = links(document);
  return JSON.stringify([[...now].some((one) => !state.before.has(one)), document.querySelectorAll('*').length]);
})()
"""
"""An expression that scrolls to the end, for [there are links that were not there at its first use, its size]."""


def next_timer(within: float) -> str:
    """Return an expression, in the world of the page's scripts, for the seconds until their last timer is due.

    Timers that are due later than `within` seconds do not count; 0 if there is none.
    """
    return f"(globalThis[Symbol.for('wavecrawl')]?.nextTimer({within * 1000:.0f}) ?? 0) / 1000"


def probe(roots: Sequence[str], loading: Sequence[str], *, waits: bool) -> str:
    """Return an expression for a `Look` at the page. `waits`: whether it is made when the page's scripts are idle."""
    return _PROBE % (json.dumps(waits), json.dumps(list(roots)), json.dumps([word.lower() for word in loading]))


def serialise(limit: int) -> str:
    """Return an expression for [the DOM as HTML of at most `limit` characters, the URL of the document].

    The content of open shadow roots takes the place where it is shown: slots are replaced by the nodes assigned to
    them. A frame whose document can be read becomes a `div`. URLs in both are absolute.
    """
    return _SERIALISE % limit
