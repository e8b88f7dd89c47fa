import type { Range, Tree } from "web-tree-sitter";
import type { Grammar } from "./grammars.ts";
import type { SourceText } from "./source-text.ts";
import type { Piece } from "./split-lines.ts";

/**
 * A file that takes more is not parsed: calls of the parser, which come to about 5 s of a core (1 MB of C++ takes 5,000).
 * Not a time, as a file must come to the same chunks however busy the machine is.
 */
const MAX_PARSER_STEPS = 50_000;

type Parsed = { readonly tree: Tree; readonly scripts: readonly Script[] | undefined };

/** A file's tree, to be deleted by whoever asked for it. @returns `undefined` where there is nothing to parse, or where it took too much. */
export function parseSource(source: SourceText, { parser, ...grammar }: Grammar): Parsed | undefined {
  const scripts = grammar.scripts ? findScripts(source.text) : undefined;
  if (source.text === "" || scripts?.length === 0) {
    return undefined;
  }
  let steps = 0;
  const tree = parser.parse(source.text, null, {
    progressCallback: () => ++steps > MAX_PARSER_STEPS,
    ...(scripts === undefined ? {} : { includedRanges: scripts.map((script) => rangeOf(script, source)) }),
  });
  if (tree === null) {
    parser.reset();
    return undefined;
  }
  return { tree, scripts };
}

function rangeOf({ from, to }: Piece, { lineAt }: SourceText): Range {
  return {
    startIndex: from,
    endIndex: to,
    startPosition: { row: lineAt(from) - 1, column: 0 },
    endPosition: { row: lineAt(to) - 1, column: 0 },
  };
}

const SCRIPT = /<script\b[^>]*>|^---[ \t]*\r?$/gim;

/** A script between its tags, and the place where the one before it begins and the one behind it ends. */
export type Script = Piece & { readonly begins: number; readonly ends: number };

/** Where the scripts of a Vue, Svelte or Astro page are: between `<script>` and `</script>`, and Astro's front matter. */
export function findScripts(text: string): readonly Script[] {
  const scripts: Script[] = [];
  let behind = 0;
  for (const { 0: tag, index } of text.matchAll(SCRIPT)) {
    const from = index + tag.length;
    const frontMatter = tag.startsWith("---");
    // Only at the top of a page are three dashes more than a line.
    if (index < behind || (frontMatter && text.slice(0, index).trim() !== "")) {
      continue;
    }
    const end = text.slice(from).search(frontMatter ? /^---/m : /<\/script/i);
    const to = end === -1 ? text.length : from + end;
    behind = to + 1;
    if (to > from) {
      const lineEnd = text.indexOf("\n", to + 1);
      scripts.push({ from, to, begins: index, ends: lineEnd === -1 ? text.length : lineEnd + 1 });
    }
  }
  return scripts;
}
