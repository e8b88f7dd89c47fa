/** What a piece of a text is: words, or a character that turns the order in which others are shown. */
export type TextPiece = { readonly text: string; readonly turns: string | undefined };

/** Embeddings, overrides and isolates: in text that nobody vetted they make code and outputs read as what they are not. */
const TURNING = /([\u202A-\u202E\u2066-\u2069])/u;

const NAMES: Readonly<Record<string, string>> = {
  "\u202A": "left-to-right embedding",
  "\u202B": "right-to-left embedding",
  "\u202C": "end of an embedding",
  "\u202D": "left-to-right override",
  "\u202E": "right-to-left override",
  "\u2066": "left-to-right isolate",
  "\u2067": "right-to-left isolate",
  "\u2068": "isolate",
  "\u2069": "end of an isolate",
};

/** Cuts a text at the characters that turn the order of others; `turns` names such a character. Undefined where there are none. */
export function cutAtTurns(text: string): readonly TextPiece[] | undefined {
  return TURNING.test(text)
    ? text
        .split(TURNING)
        .filter((piece) => piece !== "")
        .map((piece) => ({ text: piece, turns: NAMES[piece] }))
    : undefined;
}

/** How such a character is shown: `U+202E`. */
export function formatCodePoint(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
