import { Anchor, Group, Table, Text } from "@mantine/core";
import type { TraceSummary } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { CopyableId } from "#ui/copyable.tsx";
import { formatCost, formatCount, formatDuration } from "#ui/format.ts";
import { TimeStamp } from "#ui/time-stamp.tsx";
import { LostEvents } from "./lost-events.tsx";
import { TraceStatus } from "./trace-status.tsx";

export function TraceTable({ projectId, traces }: { readonly projectId: string; readonly traces: readonly TraceSummary[] }) {
  return (
    <Table.ScrollContainer minWidth={920} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Traces" } }}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={130}>Status</Table.Th>
            <Table.Th>Trace</Table.Th>
            <Table.Th ta="right">Duration</Table.Th>
            <Table.Th ta="right">Tokens in</Table.Th>
            <Table.Th ta="right">Tokens out</Table.Th>
            <Table.Th ta="right">Cost</Table.Th>
            <Table.Th ta="right">Steps</Table.Th>
            <Table.Th ta="right">Failed</Table.Th>
            <Table.Th w={120}>Started</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {traces.map((trace) => (
            <Table.Tr key={trace.id}>
              <Table.Td>
                <TraceStatus status={trace.status} />
              </Table.Td>
              <Table.Td>
                <Group gap="xs">
                  <Anchor component={Link} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId: trace.id }} fw={550}>
                    {trace.name}
                  </Anchor>
                  <CopyableId value={trace.id} label="trace id" />
                  <LostEvents count={trace.lost_events} />
                </Group>
              </Table.Td>
              <Table.Td ta="right">{trace.duration_ms === null ? <None /> : formatDuration(trace.duration_ms)}</Table.Td>
              <Table.Td ta="right">{trace.input_tokens === null ? <None /> : formatCount(trace.input_tokens)}</Table.Td>
              <Table.Td ta="right">{trace.output_tokens === null ? <None /> : formatCount(trace.output_tokens)}</Table.Td>
              <Table.Td ta="right">{trace.cost === null ? <None /> : formatCost(trace.cost)}</Table.Td>
              <Table.Td ta="right">{formatCount(trace.observations)}</Table.Td>
              <Table.Td ta="right">
                {trace.failures === 0 ? <None /> : <Text c="var(--sl-bad)">{formatCount(trace.failures)}</Text>}
              </Table.Td>
              <Table.Td>
                <TimeStamp at={trace.started_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function None() {
  return <Text c="dimmed">–</Text>;
}
