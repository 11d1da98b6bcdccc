import { h, options } from "preact";
import { expect, test } from "vitest";
import { shownText, showTextsSafely } from "./shownText";

test("controls and changes of the direction are replaced, its marks removed", () => {
  expect(shownText("a\u001b[2J\u0085\u202eb\u2066c\u2069")).toBe("a\ufffd[2J\ufffd\ufffdb\ufffdc\ufffd");
  expect(shownText("\u200fשלום\u200e \u061cسلام")).toBe("שלום سلام");
  expect(shownText("one\u2028two\u2029three")).toBe("one two three");
});

test("other texts stay as they are", () => {
  for (const text of ["", "plain\n\ttext\r\n", "naïve 漢字 می\u200cخواهم 👩\u200d💻 שלום"])
    expect(shownText(text)).toBe(text);
});

test("every text and label of a view is shown in this way, and no value of a field", () => {
  const hostile = "a\u202eb";
  showTextsSafely();
  const made = h("input", { title: hostile, "aria-label": hostile, value: hostile });
  expect(made.props).toMatchObject({ title: "a\ufffdb", "aria-label": "a\ufffdb", value: hostile });
  const text = { type: null, props: hostile };
  options.vnode?.(text as never);
  expect(text.props).toBe("a\ufffdb");
});
