import { Anchor } from "@mantine/core";
import type { CodePlace } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { codeRunsQuery, type FileLines } from "#features/traces/api/code-runs.ts";
import { formatCount, formatDuration, plural } from "#ui/words/format.ts";
import { IncompleteFigures } from "#ui/kit/incomplete-figures.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./code-runs-panel.module.css";

/** Which functions of a file agents ran, and the traces that did; of the lines that are marked, when some are. */
export function CodeRunsPanel({
  repo,
  path,
  lines,
  commit,
  onLine,
}: FileLines & {
  /** What is shown of the file: runs of another commit may have had their lines elsewhere. */
  readonly commit: string;
  readonly onLine: (line: number) => void;
}) {
  const runs = useQuery(codeRunsQuery({ repo, path, lines }));
  if (runs.data === undefined) {
    return <Unanswered query={runs} failed="The runs could not be loaded" loading={<LoadingRows rows={4} height={60} />} />;
  }
  const { items, truncated, uncounted_since: uncountedSince } = runs.data;
  const what = lines === undefined ? "this file" : lines.start === lines.end ? `line ${lines.start}` : `lines ${lines.start}–${lines.end}`;
  const incomplete = uncountedSince !== null && <IncompleteFigures what="Some runs" since={uncountedSince} />;
  if (items.length === 0) {
    return (
      <>
        {incomplete}
        <Dimmed>
          No trace of the last 30 days ran {what}. A step is found by the repository that its SDK names, as <code>OBS_REPO</code> or git has
          it.
        </Dimmed>
      </>
    );
  }
  return (
    <>
      {incomplete}
      <Dimmed size="xs" mb="xs">
        What ran of {what} in 30 days{truncated ? "; the places with the most runs" : ""}.
      </Dimmed>
      <ol className={classes.places}>
        {items.map((place) => (
          <li key={`${place.project_id} ${place.function} ${place.line}`} className={classes.place}>
            <Place place={place} commit={commit} onLine={onLine} />
          </li>
        ))}
      </ol>
    </>
  );
}

type PlaceProps = { readonly place: CodePlace; readonly commit: string; readonly onLine: (line: number) => void };

function Place({ place, commit, onLine }: PlaceProps) {
  const isElsewhere = place.commit !== null && place.commit !== commit;
  return (
    <>
      <div className={classes.head}>
        <Anchor component="button" type="button" size="sm" fw={550} onClick={() => onLine(place.line)}>
          {place.function ?? `Line ${place.line}`}
        </Anchor>
        <span className={classes.dim}>
          {place.function === null ? "" : `line ${place.line}`}
          {isElsewhere ? ` at ${place.commit?.slice(0, 7)}, may have moved` : ""}
        </span>
      </div>
      <div className={classes.facts}>
        <span>{plural(place.runs, "run", "runs")}</span>
        {place.failures > 0 && <span className={classes.failed}>{formatCount(place.failures)} failed</span>}
        {place.p95_ms !== null && <span>p95 {formatDuration(place.p95_ms)}</span>}
        <span>{place.project}</span>
      </div>
      <ul className={classes.runs}>
        {place.latest.map((run) => (
          <li key={run.observation_id} className={classes.run}>
            <TraceStatus status={run.status ?? "running"} />
            <Anchor
              component={Link}
              size="xs"
              to="/projects/$projectId/traces/$traceId"
              params={{ projectId: run.project_id, traceId: run.trace_id }}
              search={{ observation: run.observation_id }}
            >
              <SafeText text={run.trace_name} />
            </Anchor>
            <TimeStamp at={run.started_at} />
          </li>
        ))}
      </ul>
    </>
  );
}
