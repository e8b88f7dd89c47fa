import type { Definition } from "./find-names.ts";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t\r]*$/;
const LONGEST_NAME = 200;

/**
 * The headings of Markdown as what the text below them stands under. The grammar finds no more, and takes twenty times as long
 * as all the rest of the indexing.
 */
export function findHeadings(text: string): readonly Definition[] {
  const found: (Definition & { readonly level: number; to: number })[] = [];
  let fence: string | undefined;
  for (let at = 0; at < text.length;) {
    const end = endOfLine(text, at);
    const line = text.slice(at, end);
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      fence = mark?.startsWith(fence) === true ? undefined : fence;
    } else if (mark !== undefined) {
      fence = mark;
    } else {
      const [, marks, name] = HEADING.exec(line) ?? [];
      if (marks !== undefined && name !== undefined && name !== "") {
        closeSections(found, marks.length, at);
        found.push({ name: name.slice(0, LONGEST_NAME), kind: "scope", nameAt: at, from: at, to: text.length, level: marks.length });
      }
    }
    at = end + 1;
  }
  return found;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** A heading ends the sections of its own level and below. */
function closeSections(found: readonly { readonly level: number; readonly from: number; to: number }[], level: number, at: number): void {
  for (let index = found.length - 1; index >= 0; index--) {
    const section = found[index];
    if (section !== undefined && section.level >= level && section.to > at) {
      section.to = at;
    } else if (section !== undefined && section.level < level) {
      return;
    }
  }
}
