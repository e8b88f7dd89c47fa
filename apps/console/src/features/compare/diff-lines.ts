import { diffLines } from "diff";

export type DiffLine = { readonly kind: "same" | "a" | "b" | "skipped"; readonly text: string };

/** Equal lines that are shown around a difference. */
const AROUND = 3;
/** Texts that differ by more, or take longer, are shown one after the other. */
const MAX_EDITS = 2_000;
const TIMEOUT_MS = 500;

/** Two texts as lines of one: those of the first run alone, of the second alone, and of both; long equal stretches are left out. */
export function toDiffLines(a: string, b: string): readonly DiffLine[] {
  const parts = diffLines(ended(a), ended(b), { maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS });
  if (parts === undefined) {
    return [...linesOf(a).map((text) => ({ kind: "a" as const, text })), ...linesOf(b).map((text) => ({ kind: "b" as const, text }))];
  }
  return parts.flatMap(({ value, added, removed }, index): readonly DiffLine[] => {
    const lines = linesOf(value);
    const kind = added ? "b" : removed ? "a" : "same";
    return kind === "same"
      ? fold(lines, { isFirst: index === 0, isLast: index === parts.length - 1 })
      : lines.map((text) => ({ kind, text }));
  });
}

function fold(lines: readonly string[], { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean }): readonly DiffLine[] {
  const [head, tail] = [isFirst ? 0 : AROUND, isLast ? 0 : AROUND];
  const hidden = lines.length - head - tail;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return hidden <= 1
    ? lines.map(same)
    : [
        ...lines.slice(0, head).map(same),
        { kind: "skipped", text: `${hidden} equal lines` },
        ...(tail === 0 ? [] : lines.slice(-tail)).map(same),
      ];
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function linesOf(text: string): readonly string[] {
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
