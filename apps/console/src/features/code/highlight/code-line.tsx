import { type Range, markRanges } from "./mark-ranges.ts";
import type { HighlightedLine } from "#features/code/highlight/highlighter.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./code-line.module.css";

const NO_RANGES: readonly Range[] = [];

type CodeLineProps = {
  readonly text: string;
  readonly tokens: HighlightedLine | undefined;
  readonly ranges?: readonly Range[] | undefined;
};

/** A line of code, coloured when its tokens are there, with what was found in it marked. */
export function CodeLine({ text, tokens, ranges = NO_RANGES }: CodeLineProps) {
  if (text === "") {
    return <>{"\n"}</>;
  }
  const coloured = tokens === undefined || tokens.length === 0 ? [{ text, color: undefined }] : tokens;
  if (ranges.length === 0 && tokens === undefined) {
    return <SafeText text={text} />;
  }
  return (
    <>
      {markRanges(coloured, ranges).map((piece, index) =>
        piece.marked ? (
          <mark key={index} className={classes.found}>
            <SafeText text={piece.text} />
          </mark>
        ) : (
          <span key={index} style={{ color: piece.color }}>
            <SafeText text={piece.text} />
          </span>
        ),
      )}
    </>
  );
}
