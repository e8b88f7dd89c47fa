import type { FileChange } from "@sightline/code-index/contract";
import type { ReactNode } from "react";
import { useMemo, useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { CodeLine } from "#features/code/highlight/code-line.tsx";
import type { HighlightedLine } from "#features/code/highlight/highlighter.ts";
import { languageNamedBy } from "#features/code/highlight/languages.ts";
import { useHighlighted } from "#features/code/highlight/use-highlighted.ts";
import { type DiffRow, type RowPair, toDiffRows, toPairs } from "./diff-rows.ts";
import classes from "./file-diff.module.css";

export type DiffView = "unified" | "split";

type FileDiffProps = {
  readonly change: FileChange;
  readonly view: DiffView;
  readonly startsOpen: boolean;
  /** What leads from here to the file. */
  readonly children: ReactNode;
};

/** What changed of a file; its lines are laid out once it is opened. */
export function FileDiff({ change, view, startsOpen, children }: FileDiffProps) {
  const [isOpen, setIsOpen] = useState(startsOpen);
  const { path, old_path: old, status, added, deleted, patch, left_out: leftOut } = change;
  return (
    <details className={classes.file} open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className={classes.head}>
        <span className={classes.path}>
          {old !== null && <span className={classes.old}>{old} → </span>}
          <SafeText text={path} />
        </span>
        {status !== "modified" && <span className={classes.status}>{status}</span>}
        <span className={classes.counts}>
          <span className={classes.plus}>+{added}</span> <span className={classes.minus}>−{deleted}</span>
        </span>
      </summary>
      {isOpen && <div className={classes.actions}>{children}</div>}
      {isOpen && patch !== "" && <DiffLines name={`Changes of ${path}`} path={path} patch={patch} view={view} />}
      {isOpen && patch === "" && <Dimmed p="sm">{leftOut === null ? "No line changed." : `The lines are not shown: ${leftOut}.`}</Dimmed>}
    </details>
  );
}

type DiffLinesProps = {
  /** No other on the page has it. */
  readonly name: string;
  readonly path: string;
  readonly patch: string;
  readonly view: DiffView;
};

/** The lines of a diff, colored as those of the file are. */
export function DiffLines({ name, path, patch, view }: DiffLinesProps) {
  const rows = useMemo(() => toDiffRows(patch), [patch]);
  const tokensOf = useRowTokens(rows, languageNamedBy(path));
  return (
    <div className={classes.scroll} role="region" aria-label={name} tabIndex={0}>
      <table className={classes.lines} data-view={view}>
        {view === "split" && (
          // The first row may be a hunk's heading over all columns, which tells none its width.
          <colgroup>
            <col className={classes.numbers} />
            <col />
            <col className={classes.numbers} />
            <col />
          </colgroup>
        )}
        <tbody>
          {view === "unified"
            ? rows.map((row, index) => <UnifiedRow key={index} row={row} tokensOf={tokensOf} />)
            : toPairs(rows).map((pair, index) => <SplitRow key={index} pair={pair} tokensOf={tokensOf} />)}
        </tbody>
      </table>
    </div>
  );
}

const SIGNS = { same: " ", deleted: "−", added: "+", hunk: "" };

type TokensOf = (row: DiffRow) => HighlightedLine | undefined;

/** Each version is colored by itself, so that a line that is gone leaves no string open in the one that came. */
function useRowTokens(rows: readonly DiffRow[], language: string): TokensOf {
  const { before, after, places } = useMemo(() => versionsOf(rows), [rows]);
  const linesBefore = useHighlighted(before, language);
  const linesAfter = useHighlighted(after, language);
  return (row) => (row.kind === "deleted" ? linesBefore : linesAfter)[places.get(row) ?? -1];
}

/** The lines of both versions, and the place of each row in its own; a row of both is looked up in the later one. */
function versionsOf(rows: readonly DiffRow[]) {
  const before = rows.filter(({ kind }) => kind !== "added");
  const after = rows.filter(({ kind }) => kind !== "deleted");
  const places = new Map([...before.entries(), ...after.entries()].map(([index, row]) => [row, index]));
  return { before: before.map(lineOf), after: after.map(lineOf), places };
}

/** A hunk's heading is no line of the file. */
function lineOf({ kind, text }: DiffRow): string {
  return kind === "hunk" ? "" : text;
}

function UnifiedRow({ row, tokensOf }: { readonly row: DiffRow; readonly tokensOf: TokensOf }) {
  return (
    <tr data-kind={row.kind}>
      <td className={classes.number}>{row.before}</td>
      <td className={classes.number}>{row.after}</td>
      <Code row={row} tokens={tokensOf(row)} />
    </tr>
  );
}

type SplitRowProps = { readonly pair: RowPair; readonly tokensOf: TokensOf };

function SplitRow({ pair: { left, right }, tokensOf }: SplitRowProps) {
  if (left?.kind === "hunk") {
    return (
      <tr data-kind="hunk">
        <td className={classes.code} colSpan={4}>
          <SafeText text={left.text} />
        </td>
      </tr>
    );
  }
  return (
    <tr>
      <td className={classes.number}>{left?.before}</td>
      <Code row={left} tokens={left && tokensOf(left)} />
      <td className={classes.number}>{right?.after}</td>
      <Code row={right} tokens={right && tokensOf(right)} />
    </tr>
  );
}

function Code({ row, tokens }: { readonly row: DiffRow | undefined; readonly tokens: HighlightedLine | undefined }) {
  return (
    <td className={classes.code} data-kind={row?.kind ?? "none"}>
      {row !== undefined && row.kind !== "hunk" && <span className={classes.sign}>{SIGNS[row.kind]}</span>}
      {row !== undefined && row.text !== "" && <CodeLine text={row.text} tokens={row.kind === "hunk" ? undefined : tokens} />}
      {row?.isUnended === true && <span className={classes.old}> (no line break at the end)</span>}
    </td>
  );
}
