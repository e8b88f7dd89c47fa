import { isNoName } from "./name-ranges.ts";

/** The identifier around a place in a text; undefined between words and for numbers. */
export function wordAround(text: string, offset: number): string | undefined {
  const before = /[\p{L}\p{N}_$]*$/u.exec(text.slice(0, offset))?.[0] ?? "";
  const after = /^[\p{L}\p{N}_$]*/u.exec(text.slice(offset))?.[0] ?? "";
  const word = before + after;
  return /^[\p{L}_$]/u.test(word) && word.length > 1 ? word : undefined;
}

/** The identifier that was clicked; undefined where text was selected, and on keywords, comments and strings. */
export function clickedWord(event: {
  readonly clientX: number;
  readonly clientY: number;
  readonly target: EventTarget;
}): string | undefined {
  const isSelecting = document.getSelection()?.isCollapsed === false;
  const color = event.target instanceof HTMLElement ? event.target.style.color : undefined;
  if (isSelecting || isNoName(color)) {
    return undefined;
  }
  const at = document.caretPositionFromPoint(event.clientX, event.clientY);
  return at?.offsetNode instanceof Text ? wordAround(at.offsetNode.data, at.offset) : undefined;
}
