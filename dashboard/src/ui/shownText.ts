import { options, type VNode } from "preact";

/** Controls, and what changes the direction of writing. White space stays. */
const CONTROLS = /(?![\t\r\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
/** Marks of the direction of writing, which are common in right-to-left texts. */
const MARKS = /[\u061c\u200e\u200f]/g;
/** Separators of lines and paragraphs, which end a line wherever they stand. */
const BREAKS = /[\u2028\u2029]/g;
const ANY = /[^\n\x20-\x7e\xa0-\u061b\u061d-\u200d\u2010-\u2027\u202f-\u2065\u206a-\uffff]/;
const ATTRIBUTES = ["title", "aria-label", "alt", "placeholder"] as const;

/** Return a text as people see it: nothing in it commands, or reorders what is around it. */
export function shownText(text: string): string {
  return ANY.test(text) ? text.replace(CONTROLS, "\ufffd").replace(MARKS, "").replace(BREAKS, " ") : text;
}

/** Show all texts of the dashboard in this way. The data, and what is entered, stay as they are. */
export function showTextsSafely(): void {
  const before = options.vnode;
  options.vnode = (node: VNode) => {
    // A text is a node without type, whose properties are the text.
    const inner = node as unknown as { type: unknown; props: unknown };
    if (inner.type === null) {
      if (typeof inner.props === "string") inner.props = shownText(inner.props);
    } else if (typeof inner.type === "string") {
      showAttributes(inner.props as Record<string, unknown>);
    }
    before?.(node);
  };
}

function showAttributes(props: Record<string, unknown>): void {
  for (const name of ATTRIBUTES) {
    const value = props[name];
    if (typeof value === "string") props[name] = shownText(value);
  }
}
