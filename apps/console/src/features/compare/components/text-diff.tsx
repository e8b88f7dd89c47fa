import { useMemo } from "react";
import { toDiffLines } from "#features/compare/diff-lines.ts";
import classes from "./text-diff.module.css";

const MARKS = { a: "−", b: "+", same: " ", skipped: "⋯" } as const;
const WORDS = { a: "only in A: ", b: "only in B: ", same: "", skipped: "" } as const;
/** Rows of a page's answer at the most; of more the rest can be opened in the traces themselves. */
const LINES_MAX = 2_000;

/** Two values line by line: text as text, anything else as JSON. */
export function TextDiff({ a, b, label }: { readonly a: unknown; readonly b: unknown; readonly label: string }) {
  const lines = useMemo(() => toDiffLines(textOf(a), textOf(b)), [a, b]);
  const rest = lines.length - LINES_MAX;
  return (
    <div className={classes.diff} role="region" aria-label={`${label}, line by line`} tabIndex={0}>
      {lines.slice(0, LINES_MAX).map(({ kind, text }, index) => (
        <div key={index} className={classes.line} data-kind={kind}>
          <span className={classes.mark} aria-hidden="true">
            {MARKS[kind]}
          </span>
          <span className={classes.hidden}>{WORDS[kind]}</span>
          <span className={classes.text}>{text}</span>
        </div>
      ))}
      {rest > 0 && <div className={classes.line}>{rest} more lines</div>}
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return "";
  }
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
