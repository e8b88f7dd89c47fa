import { Button, Group, Paper, Text } from "@mantine/core";
import { observationStatusSchema } from "@sightline/observability/contract";
import { IconFilterOff, IconTimeline } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { SendTraces } from "#features/projects/components/send-traces.tsx";
import { type TraceFilter, isLive, tracesQuery } from "#features/traces/api/traces.ts";
import { TraceFilters } from "#features/traces/components/trace-filters.tsx";
import { TraceTable } from "#features/traces/components/trace-table.tsx";
import { useApi } from "#http/api-context.ts";
import { EmptyPanel, ErrorState, LoadingRows } from "#ui/list-states.tsx";
import { PageHeader } from "#ui/page-header.tsx";
import { Page } from "#ui/page.tsx";
import { Status } from "#ui/status.tsx";
import classes from "./traces-page.module.css";

const route = getRouteApi("/signed-in/projects/$projectId/traces");

export function TracesPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: projects } = useQuery(projectsQuery(useApi()));
  const filter: TraceFilter = { status: observationStatusSchema.safeParse(search.status).data, name: search.name };
  const name = projects?.find(({ id }) => id === projectId)?.name;
  return (
    <Page>
      <PageHeader
        title={name ?? "Traces"}
        documentTitle={name === undefined ? "Traces" : `Traces of ${name}`}
        description={
          <Link to="/projects" className={classes.up}>
            Projects
          </Link>
        }
      />
      <Traces
        key={projectId}
        projectId={projectId}
        filter={filter}
        onFilter={(next) => void navigate({ search: { ...next }, replace: true })}
      />
    </Page>
  );
}

function Traces({
  projectId,
  filter,
  onFilter,
}: {
  readonly projectId: string;
  readonly filter: TraceFilter;
  readonly onFilter: (filter: TraceFilter) => void;
}) {
  const options = tracesQuery(useApi(), projectId, filter);
  const queries = useQueryClient();
  const traces = useInfiniteQuery(options);
  const all = traces.data?.pages.flatMap(({ items }) => items);
  const filtered = filter.status !== undefined || filter.name !== undefined;

  function toNewest(): void {
    queries.removeQueries({ queryKey: options.queryKey });
    void traces.refetch();
  }

  return (
    <>
      <div className={classes.bar}>
        <TraceFilters filter={filter} onChange={onFilter} />
        {all !== undefined &&
          (isLive(traces.data?.pages.length) ? (
            <Text component="div" size="sm" c="dimmed">
              {traces.error === null ? <Status tone="ok">Live</Status> : <Status tone="bad">Not up to date: {traces.error.message}</Status>}
            </Text>
          ) : (
            <Button size="xs" variant="default" onClick={toNewest}>
              Back to the newest
            </Button>
          ))}
      </div>
      {all === undefined && traces.error === null && <LoadingRows rows={8} />}
      {all === undefined && traces.error !== null && (
        <ErrorState title="The traces could not be loaded" error={traces.error} onRetry={() => void traces.refetch()} />
      )}
      {all?.length === 0 && filtered && (
        <Paper>
          <EmptyPanel icon={<IconFilterOff />} title="No trace matches" description="Try it with fewer filters.">
            <Button variant="default" onClick={() => onFilter({ status: undefined, name: undefined })}>
              Show all traces
            </Button>
          </EmptyPanel>
        </Paper>
      )}
      {all?.length === 0 && !filtered && (
        <Paper>
          <EmptyPanel
            icon={<IconTimeline />}
            title="Waiting for the first trace"
            description="It appears here by itself as soon as your agent runs."
          />
          <div className={classes.setUp}>
            <SendTraces projectId={projectId} />
          </div>
        </Paper>
      )}
      {all !== undefined && all.length > 0 && (
        <>
          <Paper>
            <TraceTable projectId={projectId} traces={all} />
          </Paper>
          <Group justify="center" mt="md">
            {traces.hasNextPage ? (
              <Button variant="default" loading={traces.isFetchingNextPage} onClick={() => void traces.fetchNextPage()}>
                Load more
              </Button>
            ) : (
              <Text size="sm" c="dimmed">
                That's all of them.
              </Text>
            )}
          </Group>
        </>
      )}
    </>
  );
}
