import { expect, it } from "vitest";
import { marked } from "./marked";

const words = (text: string, question: string) =>
  marked(text, question)
    .filter((piece) => piece.marked)
    .map((piece) => piece.text);

it("marks the words of the question in any form, but no short ones", () => {
  expect(words("Ordering is easy: place an order.", "how to order an item")).toEqual(["Ordering", "order"]);
});

it("keeps every character of the text, also markup", () => {
  const text = "<b>Größe</b> & prices";
  expect(
    marked(text, "größe")
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
  expect(words(text, "größe")).toEqual(["Größe"]);
});

it("marks nothing without a question", () => {
  expect(marked("a text", "")).toEqual([{ text: "a text", marked: false }]);
});
