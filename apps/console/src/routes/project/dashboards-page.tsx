import { Anchor, Button, Paper } from "@mantine/core";
import type { Metrics } from "@sightline/observability/contract";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { metricsQuery } from "#features/dashboards/api/metrics.ts";
import { askedRange } from "#features/dashboards/asked-range.ts";
import { Breakdown } from "#features/dashboards/components/breakdown.tsx";
import { Dashboard, DashboardSkeleton } from "#features/dashboards/components/dashboard.tsx";
import { groupingOf } from "#features/dashboards/groupings.ts";
import { EmptyPanel, ListError } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { RangePicker } from "#ui/time/range-picker.tsx";
import { SPANS, type TimeRange, timeRangeOf } from "#ui/time/time-range.ts";
import { useNow } from "#ui/time/use-now.ts";
import classes from "./dashboards-page.module.css";

const route = getRouteApi("/signed-in/projects/$projectId/dashboards");

const DEFAULT_RANGE: TimeRange = { span: "24h" };
const OFFERED = SPANS.filter(({ hours }) => hours >= 24);

/** Hours that are still being counted may hold something. */
function isEmpty({ total, pending_hours: pending }: Metrics): boolean {
  return total.traces.count === 0 && total.calls === 0 && pending === 0;
}

export function DashboardsPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const inAddress = timeRangeOf(search);
  const range = Object.values(inAddress).every((value) => value === undefined) ? DEFAULT_RANGE : inAddress;
  const asked = askedRange(range, useNow());
  const metrics = useQuery(metricsQuery(projectId, asked));
  const grouping = groupingOf(search.by);
  // Two instants, so that the list shows what was counted.
  const counted = { from: asked.from, to: asked.to };
  return (
    <WidePage>
      <PageHeader title="Dashboard" description="Hourly figures over all traces of the project.">
        <RangePicker
          range={range}
          spans={OFFERED}
          onChange={(next) =>
            void navigate({ search: (known) => ({ ...known, span: undefined, from: undefined, to: undefined, ...next }) })
          }
        />
      </PageHeader>
      <div className={classes.parts}>
        {metrics.data === undefined && metrics.error === null && <DashboardSkeleton />}
        {metrics.data === undefined && metrics.error !== null && (
          <ListError title="The figures could not be loaded" error={metrics.error} onRetry={() => void metrics.refetch()} />
        )}
        {metrics.data !== undefined && isEmpty(metrics.data) && (
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
        )}
        {metrics.data !== undefined && !isEmpty(metrics.data) && (
          <Dashboard
            metrics={metrics.data}
            onStep={(step) => void navigate({ to: "/projects/$projectId/traces", params: { projectId }, search: step })}
          />
        )}
        {(metrics.data === undefined ? metrics.error === null : !isEmpty(metrics.data)) && (
          <Breakdown
            projectId={projectId}
            range={asked}
            grouping={grouping}
            onGroup={(by) => void navigate({ search: (known) => ({ ...known, by }), replace: true, resetScroll: false })}
          >
            {(name, q) => (
              <Anchor component={Link} to="/projects/$projectId/traces" params={{ projectId }} search={{ q, ...counted }} inherit>
                {name}
              </Anchor>
            )}
          </Breakdown>
        )}
      </div>
    </WidePage>
  );
}
