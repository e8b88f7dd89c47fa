import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import type { Trace } from "@sightline/observability/contract";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { traceQuery } from "#features/traces/api/traces.ts";
import { StepDetails } from "#features/traces/components/step-details.tsx";
import { TraceHeader } from "#features/traces/components/trace-header.tsx";
import { TraceTree } from "#features/traces/components/trace-tree.tsx";
import { useApi } from "#http/api-context.ts";
import { ErrorState, LoadingRows } from "#ui/list-states.tsx";
import { FullPage } from "#ui/page.tsx";
import { useTitle } from "#ui/use-title.ts";
import classes from "./trace-page.module.css";

const route = getRouteApi("/signed-in/projects/$projectId/traces/$traceId");

export function TracePage() {
  const { projectId, traceId } = route.useParams();
  const trace = useQuery(traceQuery(useApi(), projectId, traceId));
  useTitle(trace.data === undefined ? "Trace" : `${trace.data.name} · Trace`);
  if (trace.data !== undefined) {
    return <WholeTrace trace={trace.data} now={trace.dataUpdatedAt} />;
  }
  if (trace.error !== null) {
    return <ErrorState title="The trace could not be loaded" error={trace.error} onRetry={() => void trace.refetch()} />;
  }
  return (
    <div className={classes.waiting}>
      <LoadingRows rows={14} height={26} />
    </div>
  );
}

function WholeTrace({ trace, now }: { readonly trace: Trace; readonly now: number }) {
  const { projectId } = route.useParams();
  const { observation } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: projects } = useQuery(projectsQuery(useApi()));
  const step = trace.observation_list.find(({ id }) => id === observation) ?? trace;
  return (
    <FullPage>
      <TraceHeader trace={trace}>
        <Link to="/projects">Projects</Link> /{" "}
        <Link to="/projects/$projectId/traces" params={{ projectId }}>
          {projects?.find(({ id }) => id === projectId)?.name ?? "Traces"}
        </Link>
      </TraceHeader>
      <div className={classes.columns}>
        <div className={classes.tree}>
          <TraceTree
            trace={trace}
            now={now}
            selected={step.id}
            onSelect={(id) => void navigate({ search: id === trace.id ? {} : { observation: id }, replace: true, resetScroll: false })}
          />
        </div>
        <section className={classes.details} aria-label="Details of the step" tabIndex={0}>
          <StepDetails key={step.id} step={step} />
        </section>
      </div>
    </FullPage>
  );
}
