import { Text } from "@mantine/core";
import { type ListedTrace, MAX_GROUPED_TRACES, type TraceGroup } from "@sightline/observability/contract";
import type { ReactNode } from "react";
import { formatCost, formatExactCount, formatShare, formatCount } from "#ui/words/format.ts";
import { scoreInWords } from "#features/traces/list/cell.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import classes from "./group-figures.module.css";

type GroupFiguresProps = {
  readonly group: TraceGroup;
  readonly scores: ListedTrace["scores"];
};

/** What the traces of a session or a user are together. */
export function GroupFigures({ group, scores }: GroupFiguresProps) {
  const { traces, failures, input_tokens: read, output_tokens: written, cost } = group;
  return (
    <>
      <dl className={classes.figures}>
        <Figure name="Traces">{formatExactCount(traces)}</Figure>
        <Figure name="Failed">
          {failures === 0 ? (
            "none"
          ) : (
            <Text inherit span c="var(--sl-bad)">
              {formatExactCount(failures)} ({formatShare(failures / traces)})
            </Text>
          )}
        </Figure>
        <Figure name="Tokens">
          {read === null && written === null ? "–" : `${formatCount(read ?? 0)} in, ${formatCount(written ?? 0)} out`}
        </Figure>
        <Figure name="Cost">{cost === null ? "–" : formatCost(cost)}</Figure>
        {scores.length > 0 && <Figure name="Scores (mean)">{scores.map(scoreInWords).join(", ")}</Figure>}
      </dl>
      {traces > MAX_GROUPED_TRACES && (
        <Dimmed mt="sm">Scores, days and sessions are of the newest {formatExactCount(MAX_GROUPED_TRACES)} traces.</Dimmed>
      )}
    </>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
