import { IconTimeline } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { AddToDataset } from "#features/datasets/components/add-to-dataset.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { LostProducers } from "#features/ingestion/components/lost-producers.tsx";
import { SendTraces } from "#features/projects/components/send-traces.tsx";
import type { Choice } from "#features/traces/api/bulk.ts";
import { histogramQuery, tracesQuery } from "#features/traces/api/list-traces.ts";
import { viewsQuery } from "#features/traces/api/views.ts";
import { toTraceQuery } from "#features/traces/list/query/query-text.ts";
import { ListBar } from "#features/traces/list/list-bar.tsx";
import { type ListState, isReadable, toListState, toListSearch } from "#features/traces/list/model/list-state.ts";
import { ListTools } from "#features/traces/list/list-tools.tsx";
import { TraceList } from "#features/traces/list/trace-list.tsx";
import { useOpenFirst } from "#features/traces/list/use-default-view.ts";
import type { Prefetch } from "#shell/first-data.ts";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import classes from "./traces-page.module.css";

const route = getRouteApi("/signed-in/projects/$projectId/traces");

export const prefetch: Prefetch = ({ queries, params: { projectId = "" }, search }) => {
  const query = toTraceQuery(toListState(search));
  if (isReadable(query.q)) {
    void queries.prefetchInfiniteQuery(tracesQuery(projectId, query));
    void queries.prefetchQuery(histogramQuery(projectId, query.q));
  }
  void queries.prefetchQuery(viewsQuery(projectId));
};

export function TracesPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const { data: project } = useQuery(projectQuery(projectId));
  const name = project?.name;
  const search = route.useSearch();
  const state = toListState(search);
  // What is chosen is a step that the browser leads back from; what is typed, letter by letter, is none.
  const show = (next: ListState, isTyped = false) => void navigate({ search: toListSearch(next), replace: isTyped, resetScroll: false });
  const list = { projectId, state, onChange: show };
  useOpenFirst(
    list,
    Object.values(search).some((value) => value !== undefined),
  );
  const [adding, setAdding] = useState<Choice>();
  const isEmpty = project?.last_trace_at === null && state.q === "";
  return (
    <WidePage>
      <PageHeader title="Traces" documentTitle={name === undefined ? "Traces" : `Traces of ${name}`}>
        {!isEmpty && <ListTools {...list} />}
      </PageHeader>
      {!isEmpty && <ListBar key={`bar ${projectId}`} {...list} />}
      <LostProducers projectId={projectId} />
      <TraceList
        key={projectId}
        {...list}
        role={project?.my_role}
        onAddToDataset={setAdding}
        onCompare={(a, b) => void navigate({ to: "/projects/$projectId/compare", params: { projectId }, search: { a, b } })}
        setUp={
          <>
            <EmptyPanel
              icon={<IconTimeline />}
              title="No traces yet"
              description="Three steps to the first one. What is your agent made with?"
            />
            <div className={classes.setUp}>
              <SendTraces projectId={projectId} />
            </div>
          </>
        }
      />
      {adding !== undefined && (
        <AddToDataset
          projectId={projectId}
          {...("q" in adding ? { from: adding } : { traceIds: adding.ids })}
          onClose={() => setAdding(undefined)}
        />
      )}
    </WidePage>
  );
}
