import { type GrammarState, type HighlighterCore, createCssVariablesTheme, createHighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { GRAMMARS, type Grammar } from "./languages.ts";

type Token = { readonly text: string; readonly color: string | undefined };
export type HighlightedLine = readonly Token[];

const LINES_AT_ONCE = 200;
/** Beyond this a file is shown plain: colouring it would take longer than reading it. */
const MAX_LINES = 20_000;
const MAX_LINE_LENGTH = 2_000;

const theme = createCssVariablesTheme({ name: "sightline", variablePrefix: "--sl-code-" });
let highlighter: Promise<HighlighterCore> | undefined;

/**
 * Colours code piece by piece, so that a long file neither blocks the page nor waits for
 * its end. The engine is the one in plain JavaScript: WebAssembly would need `wasm-unsafe-eval`.
 */
export async function* highlight(lines: readonly string[], grammar: Grammar): AsyncGenerator<readonly HighlightedLine[]> {
  const core = await load(grammar);
  let state: GrammarState | undefined;
  for (let from = 0; from < Math.min(lines.length, MAX_LINES); from += LINES_AT_ONCE) {
    const piece = lines.slice(from, from + LINES_AT_ONCE).join("\n");
    const tokens = core.codeToTokensBase(piece, {
      lang: grammar,
      theme: "sightline",
      tokenizeMaxLineLength: MAX_LINE_LENGTH,
      // No limit: a busy machine would leave the rest of a line plain, so that a file looks different each time.
      tokenizeTimeLimit: 0,
      ...(state === undefined ? {} : { grammarState: state }),
    });
    state = core.getLastGrammarState(tokens);
    yield tokens.map((line) => line.map(({ content, color }) => ({ text: content, color })));
    await pause();
  }
}

async function load(grammar: Grammar): Promise<HighlighterCore> {
  highlighter ??= createHighlighterCore({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) });
  const core = await highlighter;
  await core.loadLanguage(GRAMMARS[grammar]());
  return core;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
