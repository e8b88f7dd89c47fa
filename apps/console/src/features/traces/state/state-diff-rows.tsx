import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import { SafeText } from "#ui/words/safe-text.tsx";
import { changeRows, MAX_CHANGES, isTextChange, type StateChange, stateChanges } from "./state-diff.ts";
import { formatCount, plural } from "#ui/words/format.ts";
import classes from "./state-diff-rows.module.css";

/** Characters of one value that are shown. */
const MAX_VALUE = 2_000;

type StateDiffProps = {
  readonly before: unknown;
  readonly after: unknown;
  /** The keys that the node wrote; undefined where no other can have written any. */
  readonly written: ReadonlySet<string> | undefined;
};

/** What differs between two states, as a tree of keys. */
export function StateDiff({ before, after, written }: StateDiffProps) {
  const changes = useMemo(() => stateChanges(before, after), [before, after]);
  const rows = useMemo(() => changeRows(changes), [changes]);
  if (changes.length === 0) {
    return <p className={classes.none}>The state did not change.</p>;
  }
  const foreign = (change: StateChange) => written !== undefined && !written.has(String(change.path[0]));
  return (
    <div>
      <p className={classes.none} role="status">
        {plural(changes.length, "change", "changes")}
        {changes.length > MAX_CHANGES && `; the first ${formatCount(MAX_CHANGES)} are shown`}
      </p>
      <ul className={classes.tree} aria-label="Changes of the state">
        {rows.map(({ id, depth, key, change }) => (
          <li key={id} className={classes.row} data-kind={change?.kind} style={{ paddingLeft: 10 + depth * 18 }}>
            <span className={classes.sign} aria-hidden="true">
              {change === undefined ? "" : SIGNS[change.kind]}
            </span>
            <span className={classes.key}>
              <SafeText text={typeof key === "number" ? `[${key}]` : key} />
            </span>
            {change !== undefined && <Change change={change} isForeign={foreign(change)} />}
          </li>
        ))}
      </ul>
    </div>
  );
}

const SIGNS = { added: "+", removed: "−", changed: "~" } as const satisfies Record<StateChange["kind"], string>;

function Change({ change, isForeign }: { readonly change: StateChange; readonly isForeign: boolean }) {
  return (
    <span className={classes.change}>
      <span className={classes.word}>
        {change.kind}
        {isForeign && ", not by this node"}
      </span>
      {isTextChange(change) ? (
        <TextChange before={String(change.before)} after={String(change.after)} />
      ) : (
        <>
          {change.kind !== "added" && <Value value={change.before} className={classes.before} />}
          {change.kind !== "removed" && <Value value={change.after} />}
        </>
      )}
    </span>
  );
}

function Value({ value, className }: { readonly value: unknown; readonly className?: string | undefined }) {
  // A text of several lines reads better than its escapes.
  const text = typeof value === "string" && value.includes("\n") ? value : JSON.stringify(value, null, 2);
  const shown = text ?? "undefined";
  return (
    <code className={`${classes.value} ${className ?? ""}`}>
      <SafeText text={shown.slice(0, MAX_VALUE)} />
      {shown.length > MAX_VALUE && `… (${formatCount(shown.length)} characters)`}
    </code>
  );
}

/** Shows the words that differ, and leaves out those that don't. */
function TextChange({ before, after }: { readonly before: string; readonly after: string }) {
  const parts = useMemo(() => diffWordsWithSpace(before, after, { timeout: 300 }), [before, after]);
  if (parts === undefined) {
    return (
      <>
        <Value value={before} className={classes.before} />
        <Value value={after} />
      </>
    );
  }
  return (
    <code className={classes.text}>
      {parts.map((part, index) =>
        part.added ? (
          <ins key={index}>
            <SafeText text={part.value} />
          </ins>
        ) : part.removed ? (
          <del key={index}>
            <SafeText text={part.value} />
          </del>
        ) : (
          <span key={index}>
            <SafeText text={shortened(part.value)} />
          </span>
        ),
      )}
    </code>
  );
}

/** Leaves out what stayed the same, but for what is beside a change. */
function shortened(text: string): string {
  return text.length > 400 ? `${text.slice(0, 180)} … ${text.slice(-180)}` : text;
}
