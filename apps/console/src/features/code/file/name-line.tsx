import type { MouseEvent } from "react";
import { CodeLine } from "#features/code/highlight/code-line.tsx";
import type { HighlightedLine } from "#features/code/highlight/highlighter.ts";
import { markRanges } from "#features/code/highlight/mark-ranges.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { nameRanges, type Names } from "./name-ranges.ts";
import classes from "./file-view.module.css";

type NameLineProps = {
  readonly text: string;
  readonly tokens: HighlightedLine | undefined;
  /** Names that can be followed. */
  readonly names: Names;
  /** Whether the tab key stops at the names. */
  readonly focusable: boolean;
};

/** A line of code whose names lead to where they are defined and used. */
export function NameLine({ text, tokens, names, focusable }: NameLineProps) {
  if (tokens === undefined) {
    return <CodeLine text={text} tokens={tokens} />;
  }
  return markRanges(tokens, nameRanges(tokens, names)).map((piece, index) =>
    piece.marked ? (
      <a
        key={index}
        className={classes.name}
        href={panelOf(piece.text)}
        data-name={piece.text}
        draggable={false}
        tabIndex={focusable ? 0 : -1}
        style={{ color: piece.color }}
        onClick={stay}
      >
        <SafeText text={piece.text} />
      </a>
    ) : (
      <span key={index} style={{ color: piece.color }}>
        <SafeText text={piece.text} />
      </span>
    ),
  );
}

/** The address with the panel of a name's references open. */
function panelOf(name: string): string {
  const search = new URLSearchParams(window.location.search);
  search.set("panel", "symbol");
  search.set("symbol", name);
  return `?${search}`;
}

/** The line takes the click. */
function stay(event: MouseEvent): void {
  event.preventDefault();
}
