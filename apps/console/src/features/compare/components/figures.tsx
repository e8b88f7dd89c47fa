import { Table } from "@mantine/core";
import type { Comparison } from "@sightline/observability/contract";
import { formatCost, formatCount, formatDuration } from "#ui/words/format.ts";
import { type Change, changeOf } from "#features/compare/change.ts";
import classes from "./figures.module.css";

const FIGURES = [
  { label: "Duration", key: "duration_ms", format: formatDuration },
  { label: "Steps", key: "steps", format: formatCount },
  { label: "Failures", key: "failures", format: formatCount },
  { label: "Tokens in", key: "input_tokens", format: formatCount },
  { label: "Tokens out", key: "output_tokens", format: formatCount },
  { label: "Cost", key: "cost", format: formatCost },
] as const;

/** What the two runs took, and how much more or less the second did. */
export function Figures({ comparison: { a, b } }: { readonly comparison: Comparison }) {
  return (
    <Table verticalSpacing={7} horizontalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Figure</Table.Th>
          <Table.Th scope="col" ta="right">
            A
          </Table.Th>
          <Table.Th scope="col" ta="right">
            B
          </Table.Th>
          <Table.Th scope="col" ta="right">
            From A to B
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {FIGURES.map(({ label, key, format }) => (
          <Table.Tr key={key}>
            <Table.Th scope="row">{label}</Table.Th>
            <Table.Td ta="right">{shown(a[key], format)}</Table.Td>
            <Table.Td ta="right">{shown(b[key], format)}</Table.Td>
            <Table.Td ta="right">
              <ChangeText change={changeOf(a[key], b[key], format)} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

export function ChangeText({ change }: { readonly change: Change | null }) {
  return change === null ? (
    <>–</>
  ) : (
    <span className={classes.change} data-tone={change.tone}>
      {change.text} {change.share !== "" && <span className={classes.share}>{change.share}</span>}
    </span>
  );
}

function shown(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}
