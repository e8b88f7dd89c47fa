import { Table, Text, UnstyledButton } from "@mantine/core";
import type { TraceGroup } from "@sightline/observability/contract";
import { IconChevronDown } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { formatCost, formatCount } from "#ui/words/format.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import type { GroupSort } from "#features/traces/api/trace-groups.ts";
import classes from "./group-table.module.css";

const COLUMNS: readonly { readonly label: string; readonly sort?: GroupSort; readonly isNumber: boolean }[] = [
  { label: "Traces", sort: "traces", isNumber: true },
  { label: "Failed", sort: "failures", isNumber: true },
  { label: "Tokens", sort: "tokens", isNumber: true },
  { label: "Cost", sort: "cost", isNumber: true },
  { label: "First", isNumber: false },
  { label: "Last", sort: "last", isNumber: false },
];

export function GroupTable({
  title,
  groups,
  sort,
  onSort,
  children,
}: {
  /** What a group is: `Session`, `User`. */
  readonly title: string;
  readonly groups: readonly TraceGroup[];
  readonly sort: GroupSort;
  readonly onSort: (sort: GroupSort) => void;
  /** A group's id, as a link to its traces. */
  readonly children: (group: TraceGroup) => ReactNode;
}) {
  return (
    <Table.ScrollContainer minWidth={720} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": `${title}s` } }}>
      <Table highlightOnHover verticalSpacing={9}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{title}</Table.Th>
            {COLUMNS.map(({ label, sort: sortOf, isNumber }) => (
              <Table.Th
                key={label}
                {...(isNumber ? { ta: "right" as const } : {})}
                {...(sortOf === sort ? { "aria-sort": "descending" as const } : {})}
              >
                {sortOf === undefined ? (
                  label
                ) : (
                  <UnstyledButton className={classes.sort} onClick={() => onSort(sortOf)}>
                    {label}
                    {sortOf === sort && <IconChevronDown size={14} aria-hidden="true" />}
                  </UnstyledButton>
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <Table.Tr key={group.id}>
              <Table.Td>
                <div className={classes.name}>
                  {children(group)}
                  <CopyableId value={group.id} label={`${title.toLowerCase()} id`} length={0} />
                </div>
              </Table.Td>
              <Table.Td ta="right">{formatCount(group.traces)}</Table.Td>
              <Table.Td ta="right">
                {group.failures === 0 ? <None /> : <Text c="var(--sl-bad)">{formatCount(group.failures)}</Text>}
              </Table.Td>
              <Table.Td ta="right">{group.input_tokens === null && group.output_tokens === null ? <None /> : tokensOf(group)}</Table.Td>
              <Table.Td ta="right">{group.cost === null ? <None /> : formatCost(group.cost)}</Table.Td>
              <Table.Td>
                <TimeStamp at={group.first_at} />
              </Table.Td>
              <Table.Td>
                <TimeStamp at={group.last_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function tokensOf({ input_tokens: input, output_tokens: output }: TraceGroup): string {
  return formatCount((input ?? 0) + (output ?? 0));
}

function None() {
  return (
    <Text inherit c="dimmed">
      –
    </Text>
  );
}
