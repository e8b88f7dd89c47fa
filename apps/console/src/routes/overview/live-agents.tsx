import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { newestTracesQuery } from "#features/traces/api/list-traces.ts";
import { plural } from "#ui/words/format.ts";
import { LoadingRows } from "#ui/kit/list-states.tsx";
import { Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Panel, PanelNote } from "./panel.tsx";
import panel from "./panel.module.css";
import { pickWatched } from "./watched.ts";

const SHOWN = 5;
const RUNNING = { q: "status:running", limit: SHOWN + 1, everyMs: 5_000 };

/** What runs just now, in the projects that the viewer may see. */
export function LiveAgents() {
  const projects = useQuery(projectsQuery);
  const watched = pickWatched(projects.data ?? []);
  const asked = useQueries({ queries: watched.map(({ id }) => newestTracesQuery(id, RUNNING)) });
  const running = watched
    .flatMap((project, index) => (asked[index]?.data?.items ?? []).map((trace) => ({ project, trace })))
    .toSorted((one, other) => other.trace.started_at.localeCompare(one.trace.started_at));
  const error = [projects, ...asked].find((query) => query.data === undefined && query.error !== null)?.error;
  const isLoading = [projects, ...asked].some((query) => query.data === undefined && query.error === null);
  const shown = running.slice(0, SHOWN);
  return (
    <Panel
      title="Live agents"
      aside={
        <Link to="/projects" className={panel.link}>
          All projects
        </Link>
      }
    >
      {shown.length === 0 && isLoading && (
        <div className={panel.loading}>
          <LoadingRows rows={1} height={24} />
        </div>
      )}
      {error !== undefined && error !== null && <PanelNote role="alert">Unavailable: {error.message}</PanelNote>}
      {shown.length === 0 && !isLoading && error === undefined && <PanelNote>No agents are running.</PanelNote>}
      {shown.length > 0 && (
        <ul className={panel.rows}>
          {shown.map(({ project, trace }) => (
            <li key={trace.id}>
              <div className={panel.words}>
                <Status tone="busy">
                  <Link
                    to="/projects/$projectId/traces/$traceId"
                    params={{ projectId: project.id, traceId: trace.id }}
                    className={panel.link}
                  >
                    <SafeText text={trace.name} />
                  </Link>
                </Status>
                <span className={panel.quiet}>
                  in {project.name}, {plural(trace.observations, "step", "steps")}
                </span>
              </div>
              <span className={panel.aside}>
                <TimeStamp at={trace.started_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {running.length > SHOWN && <PanelNote>More are running; each project's traces show all.</PanelNote>}
    </Panel>
  );
}
