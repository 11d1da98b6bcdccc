"""The scripts that read a page. They run in a world of their own, which the page's scripts cannot change."""

import json
from collections.abc import Sequence

_PROBE = """
((roots) => {
  const inner = (frame) => { try { return frame.contentDocument; } catch { return null; } };
  const count = (root) => {
    let elements = 0, links = 0;
    for (const one of root.querySelectorAll('*')) {
      elements++;
      if (one.localName === 'a' && one.hasAttribute('href')) links++;
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
  return JSON.stringify([document.readyState !== 'loading', links > 0 || roots.some(filled), `${elements} ${links}`]);
})(%s)
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


def probe(roots: Sequence[str]) -> str:
    """Return an expression for [the document is parsed, it has links or a filled root, its size]."""
    return _PROBE % json.dumps(list(roots))


def serialise(limit: int) -> str:
    """Return an expression for [the DOM as HTML of at most `limit` characters, the URL of the document].

    The content of open shadow roots takes the place where it is shown: slots are replaced by the nodes assigned to
    them. A frame whose document can be read becomes a `div`. URLs in both are absolute.
    """
    return _SERIALISE % limit
