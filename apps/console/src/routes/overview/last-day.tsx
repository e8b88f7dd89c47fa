import type { Metrics, Project } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps, linkOptions } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { metricsQuery } from "#features/dashboards/api/metrics.ts";
import { askedRange, rangeBefore } from "#features/dashboards/api/asked-range.ts";
import { formatKnownDuration, formatPercent } from "#features/dashboards/components/key-figures.tsx";
import { wholeSeries } from "#features/dashboards/whole-series.ts";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { LoadingRows } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { useNow } from "#ui/time/use-now.ts";
import { formatCost, formatCount, plural } from "#ui/words/format.ts";
import { HoursLine } from "./hours-line.tsx";
import classes from "./last-day.module.css";
import { Panel, PanelNote } from "./panel.tsx";
import panel from "./panel.module.css";
import { LATELY } from "./attention-items.ts";
import { pickWatched } from "./watched.ts";

/** What agents did in 24 hours, beside the 24 hours before, by project. */
export function LastDay() {
  const projects = useQuery(projectsQuery);
  const all = projects.data ?? [];
  const active = pickWatched(all).filter(({ recent_traces: traces }) => traces > 0);
  return (
    <Panel
      title="Last 24 hours"
      aside={
        <Link to="/projects" className={panel.link}>
          All projects
        </Link>
      }
    >
      {projects.data === undefined && projects.error === null && (
        <div className={panel.loading}>
          <LoadingRows rows={1} height={54} />
        </div>
      )}
      {projects.data === undefined && projects.error !== null && <PanelNote role="alert">Unavailable: {projects.error.message}</PanelNote>}
      {projects.data !== undefined && active.length === 0 && <NothingRan projects={all} />}
      {active.map((project) => (
        <ProjectDay key={project.id} project={project} />
      ))}
    </Panel>
  );
}

/** The next step of whoever has nothing to look at yet. */
function NothingRan({ projects }: { readonly projects: readonly Project[] }) {
  const [newest] = pickWatched(projects);
  const [waiting] = projects;
  if (newest !== undefined) {
    return (
      <PanelNote>
        No agent ran. The last trace came <TimeStamp at={newest.last_trace_at} />:{" "}
        <Link to="/projects/$projectId/traces" params={{ projectId: newest.id }} className={panel.link}>
          traces of {newest.name}
        </Link>
      </PanelNote>
    );
  }
  return waiting === undefined ? (
    <PanelNote>
      Here you see what your agents did.{" "}
      <Link to="/projects" search={{ new: "1" }} className={panel.link}>
        Create a project
      </Link>{" "}
      to send the first trace.
    </PanelNote>
  ) : (
    <PanelNote>
      {waiting.name} is waiting for its first trace.{" "}
      <Link to="/projects/$projectId/traces" params={{ projectId: waiting.id }} className={panel.link}>
        Show how to send it
      </Link>
    </PanelNote>
  );
}

function ProjectDay({ project }: { readonly project: Project }) {
  const range = askedRange({ span: LATELY }, useNow());
  const day = useQuery(metricsQuery(project.id, range));
  const before = useQuery(metricsQuery(project.id, rangeBefore(range)));
  const tracesOf = (search: NonNullable<Parameters<typeof tracesLink>[1]>) => tracesLink(project.id, search);
  return (
    <section className={classes.project} aria-label={project.name}>
      <div className={classes.about}>
        <Link to="/projects/$projectId/dashboards" params={{ projectId: project.id }} className={panel.link}>
          {project.name}
        </Link>
        {day.data !== undefined && <HoursLine hours={wholeSeries(day.data).map(({ traces }) => traces)} />}
      </div>
      {day.data === undefined ? (
        day.error === null ? (
          <LoadingRows rows={1} />
        ) : (
          <p className={classes.unknown} role="alert">
            Unavailable: {day.error.message}
          </p>
        )
      ) : (
        <dl className={classes.figures}>
          {FIGURES.map(({ label, valueOf, isBad, search }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <Link {...tracesOf(search)} className={classes.value} data-bad={isBad?.(day.data.total) || undefined}>
                  {valueOf(day.data.total)}
                </Link>
                {(before.data?.total.traces.count ?? 0) > 0 && (
                  <span className={classes.before}>was {before.data && valueOf(before.data.total)}</span>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {day.data !== undefined && day.data.pending_hours > day.data.uncounted_hours && (
        <p className={classes.unknown}>The newest traces are still being counted.</p>
      )}
      {day.data !== undefined && day.data.uncounted_since !== null && (
        <p className={classes.unknown} role="status">
          Incomplete: {plural(day.data.uncounted_hours, "hour", "hours")} could not be counted, first noticed{" "}
          <TimeStamp at={day.data.uncounted_since} />.
        </p>
      )}
    </section>
  );
}

type Figure = {
  readonly label: string;
  readonly valueOf: (total: Metrics["total"]) => ReactNode;
  readonly isBad?: (total: Metrics["total"]) => boolean;
  /** The list of traces that it leads to. */
  readonly search: { readonly q?: string; readonly sort?: string };
};

const FIGURES: readonly Figure[] = [
  { label: "Traces", valueOf: ({ traces }) => formatCount(traces.count), search: {} },
  {
    label: "Failed",
    valueOf: ({ traces }) => formatPercent(traces.failures, traces.count),
    isBad: ({ traces }) => traces.failures > 0,
    search: { q: "status:failure" },
  },
  { label: "p95 duration", valueOf: ({ traces }) => formatKnownDuration(traces.p95_ms), search: { sort: "duration" } },
  { label: "Cost", valueOf: ({ cost }) => (cost === null ? "–" : formatCost(cost)), search: { sort: "cost" } },
  {
    label: "Tokens",
    valueOf: ({ input_tokens: read, output_tokens: written }) => formatCount(read + written),
    search: { sort: "tokens" },
  },
];

function tracesLink(projectId: string, search: { readonly q?: string; readonly sort?: string }): LinkProps {
  return linkOptions({ to: "/projects/$projectId/traces", params: { projectId }, search: { ...search, span: LATELY } });
}
