import { Alert, Anchor, Button, Paper } from "@mantine/core";
import { chartMeasureSchema } from "@sightline/observability/contract";
import { IconChartBar, IconFilterOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { metricsQuery, traceFiguresQuery } from "#features/dashboards/api/metrics.ts";
import { askedRange, rangeBefore } from "#features/dashboards/api/asked-range.ts";
import { Breakdown } from "#features/dashboards/components/breakdown.tsx";
import { Dashboard, DashboardSkeleton } from "#features/dashboards/components/dashboard.tsx";
import { OwnCharts } from "#features/dashboards/components/own-charts.tsx";
import { findGrouping, listGroupings } from "#features/dashboards/groupings.ts";
import { projectQuery } from "#features/projects/api/projects.ts";
import { facetsQuery } from "#features/traces/api/list-traces.ts";
import { isReadable } from "#features/traces/list/model/list-state.ts";
import { QueryBar } from "#features/traces/list/query/query-bar.tsx";
import { loadCharts } from "#features/dashboards/components/series-card.tsx";
import type { Prefetch } from "#shell/first-data.ts";
import { EmptyPanel, ListError } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { RangePicker } from "#ui/kit/range-picker.tsx";
import { SPANS, type TimeRange, readTimeRange } from "#ui/time/time-range.ts";
import { useNow } from "#ui/time/use-now.ts";
import { formatCount } from "#ui/words/format.ts";
import classes from "./dashboards-page.module.css";

const route = getRouteApi("/signed-in/projects/$projectId/dashboards");

const DEFAULT_RANGE: TimeRange = { span: "24h" };
const OFFERED = SPANS.filter(({ hours }) => hours >= 24);

function rangeIn(search: Parameters<typeof readTimeRange>[0]): TimeRange {
  const range = readTimeRange(search);
  return Object.values(range).every((value) => value === undefined) ? DEFAULT_RANGE : range;
}

/** What all of the dashboard waits for; with a filter, which takes longer, the charts' code is enough. */
export const prefetch: Prefetch = ({ queries, params: { projectId = "" }, search }) => {
  loadCharts().catch(() => undefined);
  if (search["q"] === undefined) {
    void queries.prefetchQuery(metricsQuery(projectId, askedRange(rangeIn(search), new Date())));
  }
};

export function DashboardsPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const range = rangeIn(search);
  const asked = askedRange(range, useNow());
  const typed = search.q ?? "";
  // What can't be read filters nothing, and is explained below its field.
  const q = isReadable(typed) ? typed.trim() : "";
  const isFiltered = q !== "";
  const counted = useQuery({ ...metricsQuery(projectId, asked), enabled: !isFiltered });
  const filtered = useQuery({ ...traceFiguresQuery(projectId, asked, { q }), enabled: isFiltered });
  const figures = isFiltered ? filtered : counted;
  const before = rangeBefore(asked);
  const once = { refetchInterval: false } as const;
  const countedBefore = useQuery({ ...metricsQuery(projectId, before), ...once, enabled: !isFiltered });
  const filteredBefore = useQuery({ ...traceFiguresQuery(projectId, before, { q }), ...once, enabled: isFiltered });
  const { data: project } = useQuery(projectQuery(projectId));
  const { data: metadata } = useQuery(facetsQuery(projectId, { field: "metadata", prefix: "", q: "" }));
  const metadataKeys = metadata?.items.map(({ value }) => value) ?? [];
  const groupings = listGroupings(metadataKeys, isFiltered);
  const change = (next: Partial<typeof search>) =>
    void navigate({ search: (known) => ({ ...known, ...next }), replace: "q" in next, resetScroll: false });
  // Two instants, so that the list shows what was counted.
  const link = (name: string, query: string) => (
    <Anchor
      component={Link}
      to="/projects/$projectId/traces"
      params={{ projectId }}
      search={{ q: query, from: asked.from, to: asked.to }}
      inherit
    >
      {name}
    </Anchor>
  );
  const showStep = (step: { readonly from: string; readonly to: string }, query: string) =>
    void navigate({ to: "/projects/$projectId/traces", params: { projectId }, search: { ...step, q: query === "" ? undefined : query } });
  const isEmpty = figures.data !== undefined && figures.data.total.traces.count === 0 && (isFiltered || !hasUncounted(counted.data));
  return (
    <WidePage>
      <PageHeader
        title="Dashboard"
        description={isFiltered ? "Figures of the traces that match the filter." : "Hourly figures over all traces of the project."}
      >
        <RangePicker
          range={range}
          spans={OFFERED}
          onChange={(next) =>
            void navigate({ search: (known) => ({ ...known, span: undefined, from: undefined, to: undefined, ...next }) })
          }
        />
      </PageHeader>
      <div className={classes.parts}>
        <search className={classes.filter}>
          <QueryBar
            projectId={projectId}
            label="Filter of the dashboard"
            value={typed}
            onChange={(text) => change({ q: text.trim() === "" ? undefined : text })}
          />
        </search>
        {isFiltered && filtered.data !== undefined && filtered.data.newest !== null && (
          <Alert role="status" py="xs">
            More traces match; these figures are of the newest {formatCount(filtered.data.newest)} of them.
          </Alert>
        )}
        {figures.data === undefined && figures.error === null && <DashboardSkeleton />}
        {figures.data === undefined && figures.error !== null && (
          <ListError title="The figures could not be loaded" error={figures.error} onRetry={() => void figures.refetch()} />
        )}
        {isEmpty && (isFiltered ? <NoMatch onClear={() => change({ q: undefined })} /> : <NoTraces projectId={projectId} />)}
        {figures.data !== undefined && !isEmpty && (
          <Dashboard
            metrics={figures.data}
            before={(isFiltered ? filteredBefore : countedBefore).data?.total}
            isFiltered={isFiltered}
            onStep={(step) => showStep(step, q)}
          />
        )}
        <OwnCharts
          projectId={projectId}
          range={asked}
          q={q}
          mayEdit={project !== undefined && project.my_role !== "viewer"}
          metadataKeys={metadataKeys}
          queryField={QueryBar}
          onStep={showStep}
          link={link}
        />
        {figures.error === null && !isEmpty && (
          <Breakdown
            projectId={projectId}
            range={asked}
            q={q}
            groupings={groupings}
            grouping={findGrouping(search.by, groupings)}
            onGroup={(by) => change({ by })}
            top={chartMeasureSchema.safeParse(search.top).data ?? "traces"}
            onTop={(top) => change({ top })}
          >
            {link}
          </Breakdown>
        )}
      </div>
    </WidePage>
  );
}

/** Hours that are still being counted may hold something. */
function hasUncounted(metrics: { readonly pending_hours: number; readonly total: { readonly calls: number } } | undefined): boolean {
  return metrics !== undefined && (metrics.pending_hours > 0 || metrics.total.calls > 0);
}

function NoMatch({ onClear }: { readonly onClear: () => void }): ReactNode {
  return (
    <Paper>
      <EmptyPanel
        icon={<IconFilterOff />}
        title="No traces match your filter"
        description="Choose a longer time range above, or drop the filter."
      >
        <Button variant="default" onClick={onClear}>
          Drop the filter
        </Button>
      </EmptyPanel>
    </Paper>
  );
}

function NoTraces({ projectId }: { readonly projectId: string }): ReactNode {
  return (
    <Paper>
      <EmptyPanel
        icon={<IconChartBar />}
        title="No traces in this time range"
        description="Choose a longer time range above. A project without any traces shows how to send the first on its Traces page."
      >
        <Button component={Link} variant="default" to="/projects/$projectId/traces" params={{ projectId }}>
          Go to traces
        </Button>
      </EmptyPanel>
    </Paper>
  );
}
