import { Button } from "@mantine/core";
import type { Step, TraceDigest } from "@sightline/observability/contract";
import { IconDatabasePlus, IconTimelineEventX } from "@tabler/icons-react";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { meQuery } from "#features/auth/api/me.ts";
import { AddToDataset } from "#features/datasets/components/add-to-dataset.tsx";
import { commentsQuery } from "#features/comments/api.ts";
import { Comments, CommentsButton } from "#features/comments/components/comments.tsx";
import { CompareWith } from "#features/compare/components/compare-with.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { PromptLink } from "#features/prompts/components/prompt-link.tsx";
import { ShareTrace } from "#features/sharing/components/share-trace.tsx";
import { type Steps, stepsQuery } from "#features/traces/api/steps.ts";
import { digestQuery } from "#features/traces/api/trace.ts";
import { useLive } from "#features/traces/api/use-live.ts";
import { LiveMark } from "#features/traces/marks/live-mark.tsx";
import { StepDetails, TraceDetails } from "#features/traces/details/step-details.tsx";
import { TraceActions } from "#features/traces/trace/trace-actions.tsx";
import { TraceHeader } from "#features/traces/trace/trace-header.tsx";
import { TraceHeaderSkeleton, TraceStepsSkeleton } from "#features/traces/trace/trace-skeleton.tsx";
import { JudgedTrace } from "#features/judges/components/judged-trace.tsx";
import { TraceScores } from "#features/traces/details/trace-scores.tsx";
import { TraceWorkspace } from "#features/traces/trace/trace-workspace.tsx";
import { MarkedWords } from "#features/traces/marks/marked-words.tsx";
import { type StepFilter, readFilter } from "#features/traces/waterfall/find-steps.ts";
import { hasCode } from "#http/api-error.ts";
import type { Prefetch } from "#shell/first-data.ts";
import { ErrorState } from "#ui/kit/list-states.tsx";
import { MissingPage } from "#ui/page/missing-page.tsx";
import { FullPage } from "#ui/page/page.tsx";
import { useTitle } from "#ui/page/use-title.ts";
import { formatExactCount } from "#ui/words/format.ts";

const route = getRouteApi("/signed-in/projects/$projectId/traces/$traceId");

export const prefetch: Prefetch = ({ queries, params: { projectId = "", traceId = "" } }) => {
  void queries.prefetchQuery(digestQuery(projectId, traceId));
  void queries.prefetchQuery(stepsQuery(projectId, traceId));
  void queries.prefetchQuery(projectQuery(projectId));
};

export function TracePage() {
  const { projectId, traceId } = route.useParams();
  const digest = useQuery(digestQuery(projectId, traceId));
  // The steps are requested at the same time, so that the first rows don't wait for the head.
  const steps = useQuery(stepsQuery(projectId, traceId));
  const live = useLive({ projectId, traceId, refresh: () => Promise.all([refetchWhole(digest), refetchWhole(steps)]) });
  useTitle(digest.data === undefined ? "Trace" : `${digest.data.name} · Trace`);
  const failed = digest.data === undefined ? digest.error : steps.data === undefined ? steps.error : null;
  if (hasCode(failed, "trace_not_found", "project_not_found", "invalid_request")) {
    return (
      <MissingPage
        documentTitle="No such trace"
        icon={<IconTimelineEventX />}
        title="This trace is not here"
        description="It may have expired, or you don't have access to its project. If it has just run, wait a moment and reload the page."
      >
        <Button component={Link} to="/projects/$projectId/traces" params={{ projectId }}>
          Traces of the project
        </Button>
      </MissingPage>
    );
  }
  const breadcrumbs = <Breadcrumbs projectId={projectId} />;
  if (failed !== null) {
    const retry = (): void => void Promise.all([digest.refetch(), steps.refetch()]);
    return (
      <FullPage>
        <TraceHeaderSkeleton breadcrumbs={breadcrumbs} isLoading={false} />
        <ErrorState order={1} title="The trace could not be loaded" error={failed} onRetry={retry} />
      </FullPage>
    );
  }
  if (digest.data === undefined || steps.data === undefined) {
    return (
      <FullPage>
        {digest.data === undefined ? (
          <TraceHeaderSkeleton breadcrumbs={breadcrumbs} isLoading />
        ) : (
          <Header trace={digest.data} steps={[]} breadcrumbs={breadcrumbs} live={null} step={undefined} />
        )}
        <TraceStepsSkeleton />
      </FullPage>
    );
  }
  return (
    <FullPage>
      <WholeTrace
        key={digest.data.id}
        trace={digest.data}
        steps={steps.data}
        breadcrumbs={breadcrumbs}
        live={live === "live" && digest.data.status !== "running" ? null : <LiveMark state={live} />}
      />
    </FullPage>
  );
}

function Breadcrumbs({ projectId }: { readonly projectId: string }) {
  const { data: project } = useQuery(projectQuery(projectId));
  return (
    <>
      <Link to="/projects">Projects</Link> /{" "}
      <Link to="/projects/$projectId/traces" params={{ projectId }}>
        {project?.name ?? "Traces"}
      </Link>
    </>
  );
}

function Header({
  trace,
  steps,
  breadcrumbs,
  live,
  step,
}: Pick<Parameters<typeof TraceHeader>[0], "trace" | "steps" | "breadcrumbs" | "live"> & { readonly step: Step | undefined }) {
  const { project_id: projectId } = trace;
  const { data: project, isPending } = useQuery(projectQuery(projectId));
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  // Most may; until that is known their buttons keep their place.
  const mayEdit = isPending || (project !== undefined && project.my_role !== "viewer");
  return (
    <TraceHeader
      trace={trace}
      steps={steps}
      live={live}
      breadcrumbs={breadcrumbs}
      mayTag={mayEdit}
      actions={
        <>
          {mayEdit && (
            <Button size="xs" variant="default" leftSection={<IconDatabasePlus size={15} />} onClick={() => setAdding(true)}>
              Add to dataset
            </Button>
          )}
          {isAdding && <AddToDataset projectId={projectId} traceIds={[trace.id]} step={step} onClose={() => setAdding(false)} />}
          <CompareWith projectId={projectId} trace={trace} />
          {mayEdit && <ShareTrace projectId={projectId} traceId={trace.id} isSharing={project?.is_sharing === true} />}
          <TraceActions
            projectId={projectId}
            trace={trace}
            stepId={step?.id}
            role={project?.my_role}
            onDeleted={() => void navigate({ to: "/projects/$projectId/traces", params: { projectId } })}
          />
        </>
      }
    />
  );
}

/** Asks again without breaking off what is on its way, which may have been asked before the change that is to be seen. */
async function refetchWhole({ isFetching, refetch }: Pick<UseQueryResult, "isFetching" | "refetch">): Promise<void> {
  await refetch({ cancelRefetch: false });
  if (isFetching) {
    await refetch({ cancelRefetch: false });
  }
}

/** What is not shown of a trace's steps, in words; undefined when all are. */
function loadingNote({ items, total, complete, truncated }: Steps): string | undefined {
  const share = `${formatExactCount(items.length)} of ${formatExactCount(total)} steps`;
  if (!complete) {
    return `${share} loaded…`;
  }
  return truncated ? `The first ${share}` : undefined;
}

type WholeTraceProps = {
  readonly trace: TraceDigest;
  readonly steps: Steps;
  readonly breadcrumbs: ReactNode;
  readonly live: ReactNode;
};

function WholeTrace({ trace, steps: loaded, breadcrumbs, live }: WholeTraceProps) {
  const { items: steps, complete } = loaded;
  const note = loadingNote(loaded);
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: project } = useQuery(projectQuery(projectId));
  const { data: me } = useQuery(meQuery);
  const step = search.observation === undefined ? undefined : steps.find(({ id }) => id === search.observation);
  const { data: comments = [] } = useQuery(commentsQuery(projectId, trace.id));
  const within = { within_id: trace.id };
  const change = (next: Partial<typeof search>): void =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  const onSelect = (id: string): void => change({ observation: id === trace.id ? undefined : id });
  const onFilter = ({ text, kind, only }: StepFilter): void => change({ find: text === "" ? undefined : text, kind, only });
  return (
    <>
      <Header
        trace={trace}
        steps={steps}
        breadcrumbs={breadcrumbs}
        live={
          <>
            {live}
            {note !== undefined && <span role="status">{note}</span>}
          </>
        }
        step={step}
      />
      <TraceWorkspace
        projectId={projectId}
        trace={trace}
        steps={steps}
        complete={complete}
        selected={step?.id ?? trace.id}
        onSelect={onSelect}
        comments={Map.groupBy(comments, (comment) => comment.subject_id)}
        filter={readFilter(search)}
        onFilter={onFilter}
        view={search.view}
        onView={(view) => change({ view: view === "details" ? undefined : view })}
      >
        <MarkedWords words={search.mark ?? ""}>
          {step === undefined ? (
            <TraceDetails projectId={projectId} trace={trace} steps={steps} onSelect={onSelect}>
              {trace.purpose === "judge" && <JudgedTrace projectId={projectId} attributes={trace.attributes} />}
              <TraceScores
                projectId={projectId}
                traceId={trace.id}
                userId={me?.id}
                mayScore={project !== undefined && project.my_role !== "viewer"}
                renderComments={({ id }) => (
                  <CommentsButton projectId={projectId} about={{ ...within, subject: "score", subject_id: id }} />
                )}
              />
              <Comments projectId={projectId} about={{ ...within, subject: "trace", subject_id: trace.id }} />
            </TraceDetails>
          ) : (
            <StepDetails
              key={step.id}
              projectId={projectId}
              trace={trace}
              steps={steps}
              step={step}
              prompt={<PromptLink projectId={projectId} prompt={step.prompt ?? ""} />}
              onSelect={onSelect}
            >
              <Comments projectId={projectId} about={{ ...within, subject: "step", subject_id: step.id }} />
            </StepDetails>
          )}
        </MarkedWords>
      </TraceWorkspace>
    </>
  );
}
