import { Paper, SegmentedControl, Text, Title } from "@mantine/core";
import type { Metrics } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatCost, formatCount } from "#ui/words/format.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { DataTable } from "#ui/kit/data-table.tsx";
import { metricsQuery } from "#features/dashboards/api/metrics.ts";
import type { AskedRange } from "#features/dashboards/asked-range.ts";
import { GROUPINGS, type Grouping } from "#features/dashboards/groupings.ts";
import classes from "./breakdown.module.css";
import { durationOf, percentOf } from "./key-figures.tsx";

type BreakdownProps = {
  readonly projectId: string;
  readonly range: AskedRange;
  readonly grouping: Grouping;
  readonly onGroup: (value: string) => void;
  /** A group's name, as a link to the traces that this query finds. */
  readonly children: (name: string, query: string) => ReactNode;
};

/** The time's figures by a property; a group leads to its traces. */
export function Breakdown({ projectId, range, grouping, onGroup, children }: BreakdownProps) {
  const metrics = useQuery(metricsQuery(projectId, range, grouping.question));
  const groups = metrics.isPlaceholderData ? undefined : metrics.data?.groups;
  return (
    <Paper component="section" aria-label="Breakdown" className={classes.card}>
      <header className={classes.head}>
        <Title order={2}>Breakdown</Title>
        <SegmentedControl
          size="xs"
          aria-label="Group by"
          data={GROUPINGS.map(({ value, label }) => ({ value, label }))}
          value={grouping.value}
          onChange={onGroup}
        />
      </header>
      {groups === undefined && (
        <Unanswered query={metrics} failed="The breakdown could not be loaded" loading={<LoadingRows rows={4} height={32} />} />
      )}
      {groups?.length === 0 && (
        <Text c="dimmed" py="lg" ta="center">
          Nothing matches in this time range.
        </Text>
      )}
      {groups !== undefined && groups.length > 0 && (
        <GroupTable groups={groups} grouping={grouping}>
          {children}
        </GroupTable>
      )}
    </Paper>
  );
}

type Groups = Metrics["groups"];

type GroupTableProps = Pick<BreakdownProps, "grouping" | "children"> & { readonly groups: Groups };

function GroupTable({ groups, grouping, children }: GroupTableProps) {
  const countsOf = (group: Groups[number]) => (grouping.ofTraces ? group.traces : group.observations);
  const shown = groups.filter((group) => countsOf(group).count > 0);
  const most = Math.max(...shown.map((group) => countsOf(group).count));
  const isSpent = shown.some(({ calls }) => calls > 0);
  const nameOf = ({ key }: Groups[number]) => (key === "" ? "(none)" : key);
  const amount = (header: string, render: (group: Groups[number]) => string) => ({ header, align: "right" as const, render });
  return (
    <DataTable
      label="Breakdown"
      minWidth={isSpent ? 900 : 640}
      verticalSpacing={6}
      horizontalSpacing="sm"
      rows={shown}
      rowKey={({ key }) => key}
      columns={[
        {
          header: grouping.label,
          td: { className: classes.name ?? "" },
          render: (group) => {
            const query = grouping.queryOf(group.key);
            return query === undefined ? nameOf(group) : children(nameOf(group), query);
          },
        },
        {
          header: grouping.ofTraces ? "Traces" : "Steps",
          width: 200,
          render: (group) => (
            <div className={classes.bar}>
              <meter className={classes.meter} min={0} max={most} value={countsOf(group).count} aria-label={`Share of ${nameOf(group)}`} />
              <span>{formatCount(countsOf(group).count)}</span>
            </div>
          ),
        },
        {
          header: "Failed",
          align: "right",
          td: (group) => ({ c: countsOf(group).failures > 0 ? "var(--sl-bad)" : "dimmed" }),
          render: (group) => {
            const { failures, count } = countsOf(group);
            return failures === 0 ? "–" : `${formatCount(failures)} (${percentOf(failures, count)})`;
          },
        },
        amount("p50", (group) => durationOf(countsOf(group).p50_ms)),
        amount("p95", (group) => durationOf(countsOf(group).p95_ms)),
        amount("p99", (group) => durationOf(countsOf(group).p99_ms)),
        isSpent && amount("Tokens in", (group) => formatCount(group.input_tokens)),
        isSpent && amount("Tokens out", (group) => formatCount(group.output_tokens)),
        isSpent && amount("Cost", costOf),
      ]}
    />
  );
}

/** A sum that leaves calls out says so. */
function costOf({ cost, unpriced_calls: unpriced }: Groups[number]): string {
  const sum = cost === null ? "–" : formatCost(cost);
  return unpriced === 0 ? sum : `${cost === null ? "" : `${sum} + `}${formatCount(unpriced)} unpriced`;
}
