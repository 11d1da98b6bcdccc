/** A part of a text, and whether it is a word of the question. */
export interface Piece {
  text: string;
  marked: boolean;
}

const LEAST = 3; // letters of a word that counts, as in the search
const STEM = 4; // letters by which two forms of a word are taken for the same

/** Return a text in pieces, with the words that the question has too marked. */
export function marked(text: string, question: string): Piece[] {
  const wanted = new Set(
    [...question.matchAll(WORD)].filter(([word]) => word.length >= LEAST).map(([word]) => stem(word)),
  );
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    if (!wanted.has(stem(match[0]))) continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), marked: false });
    pieces.push({ text: match[0], marked: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), marked: false });
  return pieces;
}

const WORD = /[\p{L}\p{N}]+/gu;

function stem(word: string): string {
  return word.toLocaleLowerCase("en").slice(0, STEM);
}
