import { NativeSelect, Paper, Text, Title } from "@mantine/core";
import type { ChartMeasure, Counts, Figures, Metrics } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatCost, formatCount } from "#ui/words/format.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { metricsQuery, traceFiguresQuery } from "#features/dashboards/api/metrics.ts";
import type { AskedRange } from "#features/dashboards/api/asked-range.ts";
import { type Grouping, queryOfGroup } from "#features/dashboards/groupings.ts";
import classes from "./breakdown.module.css";
import { formatKnownDuration, formatPercent } from "./key-figures.tsx";

type BreakdownProps = {
  readonly projectId: string;
  readonly range: AskedRange;
  /** The query that filters the dashboard; empty: all traces. */
  readonly q: string;
  readonly groupings: readonly Grouping[];
  readonly grouping: Grouping;
  readonly onGroup: (value: string) => void;
  /** The figure by which groups are sorted. */
  readonly top: ChartMeasure;
  readonly onTop: (top: ChartMeasure) => void;
  /** A group's name, as a link to the traces that this query finds. */
  readonly children: (name: string, query: string) => ReactNode;
};

/** The time's figures by a property; a group leads to its traces. */
export function Breakdown(props: BreakdownProps) {
  const { groupings, grouping, onGroup, q } = props;
  return (
    <Paper component="section" aria-label="Breakdown" className={classes.card}>
      <header className={classes.head}>
        <Title order={2}>Breakdown</Title>
        <NativeSelect
          size="xs"
          aria-label="Group by"
          data={groupings.map(({ value, label }) => ({ value, label }))}
          value={grouping.value}
          onChange={(event) => onGroup(event.currentTarget.value)}
        />
      </header>
      {q === "" && grouping.question !== undefined ? <CountedGroups {...props} /> : <TraceGroups {...props} />}
    </Paper>
  );
}

/** The groups of all traces, read from counted hours. */
function CountedGroups({ projectId, range, grouping, children }: BreakdownProps) {
  const metrics = useQuery(metricsQuery(projectId, range, grouping.question));
  const rows = metrics.data?.groups.map((group) => ({ ...group, counts: grouping.ofSteps === true ? group.observations : group.traces }));
  return (
    <Groups query={metrics} rows={rows}>
      {(groups) => (
        <GroupTable groups={groups} grouping={grouping} q="" counted={grouping.ofSteps === true ? "Steps" : "Traces"}>
          {children}
        </GroupTable>
      )}
    </Groups>
  );
}

/** Read from the traces that the filter finds. */
function TraceGroups({ projectId, range, grouping, q, top, onTop, children }: BreakdownProps) {
  const figures = useQuery(traceFiguresQuery(projectId, range, { q, by: grouping.field, top }));
  const { groups_total: total = 0, newest = null } = figures.data ?? {};
  const rows = figures.data?.groups.map((group) => ({ ...group, counts: group.traces }));
  return (
    <Groups query={figures} rows={rows}>
      {(groups) => (
        <>
          <GroupTable groups={groups} grouping={grouping} q={q} counted="Traces" sorting={{ top, onTop }}>
            {children}
          </GroupTable>
          <Dimmed size="xs" mt={8}>
            {total > groups.length && `The first ${formatCount(groups.length)} of ${formatCount(total)}. `}
            {newest !== null && `Of the newest ${formatCount(newest)} traces. `}
            Figures are of whole traces; one with several values counts for each of them.
          </Dimmed>
        </>
      )}
    </Groups>
  );
}

type Group = Figures & Partial<Pick<Metrics["total"], "calls" | "unpriced_calls">> & { readonly key: string; readonly counts: Counts };

type GroupsProps = {
  readonly query: Parameters<typeof Unanswered>[0]["query"] & { readonly isPlaceholderData: boolean };
  readonly rows: readonly Group[] | undefined;
  readonly children: (groups: readonly Group[]) => ReactNode;
};

function Groups({ query, rows, children }: GroupsProps) {
  const groups = query.isPlaceholderData ? undefined : rows?.filter(({ counts }) => counts.count > 0);
  if (groups === undefined) {
    return <Unanswered query={query} failed="The breakdown could not be loaded" loading={<LoadingRows rows={4} height={32} />} />;
  }
  return groups.length === 0 ? (
    <Text c="dimmed" py="lg" ta="center">
      Nothing matches in this time range.
    </Text>
  ) : (
    children(groups)
  );
}

type GroupTableProps = Pick<BreakdownProps, "grouping" | "q" | "children"> & {
  readonly groups: readonly Group[];
  readonly counted: "Traces" | "Steps";
  /** Undefined where the order is given. */
  readonly sorting?: Pick<BreakdownProps, "top" | "onTop">;
};

function GroupTable({ groups, grouping, q, counted, sorting, children }: GroupTableProps) {
  const highest = Math.max(...groups.map(({ counts }) => counts.count));
  const isSpent = groups.some(
    ({ calls, cost, input_tokens: input, output_tokens: output }) => (calls ?? input + output) > 0 || cost !== null,
  );
  const nameOf = ({ key }: Group) => (key === "" ? "(none)" : key);
  const by = (top: ChartMeasure) =>
    sorting && { sort: { order: sorting.top === top ? ("desc" as const) : undefined, onSort: () => sorting.onTop(top) } };
  const amount = (header: string, render: (group: Group) => string, top?: ChartMeasure) => ({
    header,
    align: "right" as const,
    render,
    ...(top && by(top)),
  });
  return (
    <DataTable
      label="Breakdown"
      minWidth={isSpent ? 900 : 640}
      verticalSpacing={6}
      horizontalSpacing="sm"
      rows={groups}
      rowKey={({ key }) => key}
      columns={[
        {
          header: grouping.label,
          td: { className: classes.name ?? "" },
          render: (group) => {
            const query = queryOfGroup(grouping.field, group.key, q);
            return query === undefined ? nameOf(group) : children(nameOf(group), query);
          },
        },
        {
          header: counted,
          width: 200,
          ...by("traces"),
          render: (group) => (
            <div className={classes.bar}>
              <meter className={classes.meter} min={0} max={highest} value={group.counts.count} aria-label={`Share of ${nameOf(group)}`} />
              <span>{formatCount(group.counts.count)}</span>
            </div>
          ),
        },
        {
          header: "Failed",
          align: "right",
          ...by("error_rate"),
          td: ({ counts }) => ({ c: counts.failures > 0 ? "var(--sl-bad)" : "dimmed" }),
          render: ({ counts: { failures, count } }) =>
            failures === 0 ? "–" : `${formatCount(failures)} (${formatPercent(failures, count)})`,
        },
        amount("p50", ({ counts }) => formatKnownDuration(counts.p50_ms), "p50"),
        amount("p95", ({ counts }) => formatKnownDuration(counts.p95_ms), "p95"),
        amount("p99", ({ counts }) => formatKnownDuration(counts.p99_ms), "p99"),
        isSpent && amount("Tokens in", (group) => formatCount(group.input_tokens)),
        isSpent && amount("Tokens out", (group) => formatCount(group.output_tokens)),
        isSpent && amount("Cost", costOf, "cost"),
      ]}
    />
  );
}

/** A sum that leaves calls out says so. */
function costOf({ cost, unpriced_calls: unpriced = 0 }: Group): string {
  const sum = cost === null ? "–" : formatCost(cost);
  return unpriced === 0 ? sum : `${cost === null ? "" : `${sum} + `}${formatCount(unpriced)} unpriced`;
}
