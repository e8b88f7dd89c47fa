import type { ComparedValue } from "@sightline/observability/contract";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { PlainTable } from "#ui/kit/data-table.tsx";
import classes from "./differences.module.css";

/** Where two values differ that are too long to be read side by side, a place a row. */
export function Differences({ value, label }: { readonly value: ComparedValue; readonly label: string }) {
  if (value.outcome !== "changed") {
    return (
      <Dimmed>{value.outcome === "same" ? `${label}: the same.` : `${label}: both differ, but are too large to be read here.`}</Dimmed>
    );
  }
  return (
    <div className={classes.scroll} role="region" aria-label={`Differences: ${label}`} tabIndex={0}>
      <PlainTable
        className={classes.table ?? ""}
        rows={value.differences.map((difference, index) => ({ ...difference, index }))}
        rowKey={({ index }) => index}
        columns={[
          { header: "Where", td: { className: classes.path ?? "" }, render: ({ path }) => path },
          { header: "A", td: sideOf("a"), render: ({ a }) => a ?? <NotThere /> },
          { header: "B", td: sideOf("b"), render: ({ b }) => b ?? <NotThere /> },
        ]}
      />
      {value.cut && <Dimmed p="xs">There are more differences than these.</Dimmed>}
    </div>
  );
}

function sideOf(side: "a" | "b") {
  return (difference: ComparedValue["differences"][number]) => ({
    className: classes.value ?? "",
    "data-side": difference[side] === null ? undefined : side,
  });
}

function NotThere() {
  return <span className={classes.none}>not there</span>;
}
