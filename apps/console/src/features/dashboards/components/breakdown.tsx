import { Paper, SegmentedControl, Table, Text, Title } from "@mantine/core";
import type { Metrics } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useApi } from "#http/api-context.ts";
import { formatCost, formatCount } from "#ui/words/format.ts";
import { ErrorState, LoadingRows } from "#ui/kit/list-states.tsx";
import { metricsQuery } from "#features/dashboards/api/metrics.ts";
import type { AskedRange } from "#features/dashboards/asked-range.ts";
import { GROUPINGS, type Grouping } from "#features/dashboards/groupings.ts";
import classes from "./breakdown.module.css";
import { durationOf, percentOf } from "./key-figures.tsx";

/** The time's figures by a property; a group leads to its traces. */
export function Breakdown({
  projectId,
  range,
  grouping,
  onGroup,
  children,
}: {
  readonly projectId: string;
  readonly range: AskedRange;
  readonly grouping: Grouping;
  readonly onGroup: (value: string) => void;
  /** A group's name, as a link to the traces that this query finds. */
  readonly children: (name: string, query: string) => ReactNode;
}) {
  const metrics = useQuery(metricsQuery(useApi(), projectId, range, grouping.question));
  const groups = metrics.isPlaceholderData ? undefined : metrics.data?.groups;
  return (
    <Paper component="section" aria-label="Breakdown" className={classes.card}>
      <header className={classes.head}>
        <Title order={2}>Breakdown</Title>
        <SegmentedControl
          size="xs"
          aria-label="By what"
          data={GROUPINGS.map(({ value, label }) => ({ value, label }))}
          value={grouping.value}
          onChange={onGroup}
        />
      </header>
      {groups === undefined && metrics.error === null && <LoadingRows rows={4} height={32} />}
      {groups === undefined && metrics.error !== null && (
        <ErrorState title="The breakdown could not be loaded" error={metrics.error} onRetry={() => void metrics.refetch()} />
      )}
      {groups?.length === 0 && (
        <Text c="dimmed" py="lg" ta="center">
          Nothing of this kind happened in this time.
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

function GroupTable({
  groups,
  grouping,
  children,
}: {
  readonly groups: Groups;
  readonly grouping: Grouping;
  readonly children: (name: string, query: string) => ReactNode;
}) {
  const countsOf = (group: Groups[number]) => (grouping.ofTraces ? group.traces : group.observations);
  const shown = groups.filter((group) => countsOf(group).count > 0);
  const most = Math.max(...shown.map((group) => countsOf(group).count));
  const isSpent = shown.some(({ calls }) => calls > 0);
  return (
    <Table.ScrollContainer minWidth={isSpent ? 900 : 640} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Breakdown" } }}>
      <Table verticalSpacing={6} horizontalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{grouping.label}</Table.Th>
            <Table.Th className={classes.share ?? ""}>{grouping.ofTraces ? "Traces" : "Steps"}</Table.Th>
            <Table.Th ta="right">Failed</Table.Th>
            <Table.Th ta="right">p50</Table.Th>
            <Table.Th ta="right">p95</Table.Th>
            <Table.Th ta="right">p99</Table.Th>
            {isSpent && <Table.Th ta="right">Tokens in</Table.Th>}
            {isSpent && <Table.Th ta="right">Tokens out</Table.Th>}
            {isSpent && <Table.Th ta="right">Cost</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((group) => {
            const { count, failures, p50_ms: p50, p95_ms: p95, p99_ms: p99 } = countsOf(group);
            const name = group.key === "" ? "(none)" : group.key;
            const query = grouping.queryOf(group.key);
            return (
              <Table.Tr key={group.key}>
                <Table.Td className={classes.name ?? ""}>{query === undefined ? name : children(name, query)}</Table.Td>
                <Table.Td>
                  <div className={classes.bar}>
                    <meter className={classes.meter} min={0} max={most} value={count} aria-label={`Share of ${name}`} />
                    <span>{formatCount(count)}</span>
                  </div>
                </Table.Td>
                <Table.Td ta="right" c={failures > 0 ? "var(--sl-bad)" : "dimmed"}>
                  {failures === 0 ? "–" : `${formatCount(failures)} (${percentOf(failures, count)})`}
                </Table.Td>
                <Table.Td ta="right">{durationOf(p50)}</Table.Td>
                <Table.Td ta="right">{durationOf(p95)}</Table.Td>
                <Table.Td ta="right">{durationOf(p99)}</Table.Td>
                {isSpent && <Table.Td ta="right">{formatCount(group.input_tokens)}</Table.Td>}
                {isSpent && <Table.Td ta="right">{formatCount(group.output_tokens)}</Table.Td>}
                {isSpent && <Table.Td ta="right">{costOf(group)}</Table.Td>}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** A sum that leaves calls out says so. */
function costOf({ cost, unpriced_calls: unpriced }: Groups[number]): string {
  const sum = cost === null ? "–" : formatCost(cost);
  return unpriced === 0 ? sum : `${cost === null ? "" : `${sum} + `}${formatCount(unpriced)} unpriced`;
}
