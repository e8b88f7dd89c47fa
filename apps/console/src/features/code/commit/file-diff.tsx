import type { FileChange } from "@sightline/code-index/contract";
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useMemo, useState } from "react";
import { SafeText } from "#ui/words/safe-text.tsx";
import { type DiffRow, toDiffRows, toPairs } from "./diff-rows.ts";
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
      {isOpen && patch !== "" && <DiffLines name={`Changes of ${path}`} patch={patch} view={view} />}
      {isOpen && patch === "" && (
        <Text size="sm" c="dimmed" p="sm">
          {leftOut === null ? "No line changed." : `The lines are not shown: ${leftOut}.`}
        </Text>
      )}
    </details>
  );
}

/** The lines of a diff; no other on the page has its name. */
export function DiffLines({ name, patch, view }: { readonly name: string; readonly patch: string; readonly view: DiffView }) {
  const rows = useMemo(() => toDiffRows(patch), [patch]);
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
        <tbody>{view === "unified" ? rows.map((row, index) => <UnifiedRow key={index} row={row} />) : toPairs(rows).map(splitRow)}</tbody>
      </table>
    </div>
  );
}

const SIGNS = { same: " ", deleted: "−", added: "+", hunk: "" };

function UnifiedRow({ row }: { readonly row: DiffRow }) {
  return (
    <tr data-kind={row.kind}>
      <td className={classes.number}>{row.old}</td>
      <td className={classes.number}>{row.young}</td>
      <Code row={row} />
    </tr>
  );
}

function splitRow({ left, right }: ReturnType<typeof toPairs>[number], index: number) {
  if (left?.kind === "hunk") {
    return (
      <tr key={index} data-kind="hunk">
        <td className={classes.code} colSpan={4}>
          <SafeText text={left.text} />
        </td>
      </tr>
    );
  }
  return (
    <tr key={index}>
      <td className={classes.number}>{left?.old}</td>
      <Code row={left} />
      <td className={classes.number}>{right?.young}</td>
      <Code row={right} />
    </tr>
  );
}

function Code({ row }: { readonly row: DiffRow | undefined }) {
  return (
    <td className={classes.code} data-kind={row?.kind ?? "none"}>
      {row !== undefined && row.kind !== "hunk" && <span className={classes.sign}>{SIGNS[row.kind]}</span>}
      {row !== undefined && <SafeText text={row.text} />}
      {row?.isUnended === true && <span className={classes.old}> (no line break at the end)</span>}
    </td>
  );
}
