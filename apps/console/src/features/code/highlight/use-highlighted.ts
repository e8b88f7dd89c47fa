import { useEffect, useState } from "react";
import type { HighlightedLine } from "./highlighter.ts";
import { grammarFor } from "./languages.ts";

const NOTHING: readonly HighlightedLine[] = [];

/** The lines coloured so far, from the first on; none for a language without a grammar. */
export function useHighlighted(lines: readonly string[], language: string): readonly HighlightedLine[] {
  const [done, setDone] = useState<{ readonly of: readonly string[]; readonly lines: readonly HighlightedLine[] }>();
  useEffect(() => {
    const stop = new AbortController();
    // Without colours the code is still there to read, so a grammar that fails to load is no error of the page.
    colour(lines, language, stop.signal, (coloured) => setDone({ of: lines, lines: coloured })).catch(() => undefined);
    return () => stop.abort();
  }, [lines, language]);
  return done?.of === lines ? done.lines : NOTHING;
}

async function colour(
  lines: readonly string[],
  language: string,
  signal: AbortSignal,
  onMore: (coloured: readonly HighlightedLine[]) => void,
): Promise<void> {
  const grammar = grammarFor(language);
  if (grammar === undefined) {
    return;
  }
  const { highlight } = await import("./highlighter.ts");
  let coloured = NOTHING;
  for await (const more of highlight(lines, grammar)) {
    if (signal.aborted) {
      return;
    }
    coloured = [...coloured, ...more];
    onMore(coloured);
  }
}
