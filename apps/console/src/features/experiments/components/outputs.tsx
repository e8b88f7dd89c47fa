import { Anchor, Text } from "@mantine/core";
import type { ExperimentItem } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { fromJsonText } from "#features/experiments/json-text.ts";
import { ItemOrigin } from "#ui/page/item-origin.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./experiments.module.css";

type Run = ExperimentItem["candidate"]["runs"][number];
type OutputsProps = {
  readonly projectId: string;
  readonly item: ExperimentItem;
  readonly diff: ((baseline: unknown, candidate: unknown) => ReactNode) | undefined;
};

/** What both runs of an item put out: as one where that is asked for and each has one to show, else side by side. */
export function Outputs({ projectId, item: { candidate, baseline }, diff }: OutputsProps) {
  const [before, after] = [baseline?.runs[0], candidate.runs[0]];
  if (diff !== undefined && before?.state === "succeeded" && after?.state === "succeeded") {
    const isSame = before.output === after.output;
    return (
      <>
        <p className={classes.label}>
          {isSame ? "Output, the same in both" : "Output, from A (baseline) to B (candidate)"}{" "}
          <TraceLink projectId={projectId} run={after} />
        </p>
        {isSame ? <Value json={after.output} label="Output" /> : diff(fromJsonText(before.output), fromJsonText(after.output))}
      </>
    );
  }
  return (
    <div className={baseline === null ? undefined : classes.sides}>
      {baseline !== null && <Side projectId={projectId} title="Baseline" runs={baseline.runs} />}
      <Side projectId={projectId} title="Candidate" runs={candidate.runs} />
    </div>
  );
}

type SideProps = { readonly projectId: string; readonly title: string; readonly runs: readonly Run[] };

/** The runs of one of two. */
export function Side({ projectId, title, runs }: SideProps) {
  return (
    <div>
      {runs.length === 0 && (
        <>
          <p className={classes.label}>{title}</p>
          <Text size="sm" c="dimmed">
            no run
          </Text>
        </>
      )}
      {runs.map((run) => (
        <div key={run.repetition} className={classes.run}>
          <p className={classes.label}>
            {title}
            {runs.length > 1 && ` ${run.repetition + 1}`} <TraceLink projectId={projectId} run={run} />
          </p>
          {run.state === "succeeded" ? (
            <Value json={run.output} label={`${title}'s output`} />
          ) : (
            <Text size="sm" c="var(--sl-bad)">
              {run.state === "failed" ? "Failed" : "Missing"}
              {run.error !== null && (
                <>
                  : <SafeText text={run.error} />
                </>
              )}
              {run.place?.path !== undefined && (
                <Text inherit component="div" c="dimmed">
                  at <ItemOrigin projectId={projectId} source={run.place} />
                  {run.place.commit !== undefined && <> of {run.place.commit.slice(0, 7)}</>}
                </Text>
              )}
            </Text>
          )}
        </div>
      ))}
    </div>
  );
}

function TraceLink({ projectId, run: { trace_id: traceId } }: { readonly projectId: string; readonly run: Run }) {
  return traceId === null ? null : (
    <Anchor component={Link} inherit underline="always" to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }}>
      trace
    </Anchor>
  );
}

/** A value that came as JSON text, which may have been cut. */
export function Value({ json, label }: { readonly json: string; readonly label: string }) {
  const value = fromJsonText(json);
  return value === null ? (
    <Text size="sm" c="dimmed">
      nothing
    </Text>
  ) : (
    <div className={classes.value} role="group" aria-label={label} tabIndex={0}>
      <SafeText text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} />
    </div>
  );
}
