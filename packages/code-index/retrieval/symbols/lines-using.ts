import type { HoldingChunk } from "./read-symbols.store.ts";

export type UsingLine = { readonly line: number; readonly text: string; readonly kind: "call" | "import" | "use" };

const LONGEST = 300;
/** What stands before a name that is far into its line. */
const BEFORE = 100;

/** The lines of a file's chunks that hold a name which is not part of a longer one. */
export function linesUsing(chunks: readonly HoldingChunk[], name: string): readonly UsingLine[] {
  const pattern = wholeName(name);
  const found = new Map<number, UsingLine>();
  for (const { start_line: start, content } of chunks) {
    for (const [index, text] of content.split("\n").entries()) {
      const at = text.includes(name) ? text.search(pattern) : -1;
      if (at !== -1 && !found.has(start + index)) {
        found.set(start + index, { line: start + index, text: around(text, at), kind: kindOf(text, at + name.length) });
      }
    }
  }
  return [...found.values()].toSorted((one, other) => one.line - other.line);
}

const LETTER = String.raw`[\p{L}\p{M}\p{N}_$]`;

function wholeName(name: string): RegExp {
  const before = new RegExp(`^${LETTER}`, "u").test(name) ? `(?<!${LETTER})` : "";
  const after = new RegExp(`${LETTER}$`, "u").test(name) ? `(?!${LETTER})` : "";
  return new RegExp(`${before}${name.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)}${after}`, "u");
}

const IMPORTS = /^\s*(?:import|from|use|using|require|require_relative|include|#\s*include|export\s.*\bfrom)\b|\brequire\s*\(\s*["']/u;
/** Type arguments may stand between a name and what it is called with. */
const CALLED = /^(?:::)?(?:<[^()]{0,100}>)?!?\s*\(/u;

function kindOf(text: string, end: number): UsingLine["kind"] {
  if (IMPORTS.test(text)) {
    return "import";
  }
  return CALLED.test(text.slice(end, end + 120)) ? "call" : "use";
}

function around(text: string, at: number): string {
  const line = text.replace(/\s+$/u, "");
  if (line.length <= LONGEST) {
    return line;
  }
  const from = at + BEFORE > LONGEST ? at - BEFORE : 0;
  const cut = line.slice(from, from + LONGEST).toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${from + LONGEST < line.length ? "…" : ""}`;
}
