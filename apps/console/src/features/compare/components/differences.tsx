import { Table, Text } from "@mantine/core";
import type { ComparedValue } from "@sightline/observability/contract";
import classes from "./differences.module.css";

/** Where two values differ, a place a row. */
export function Differences({ value, label }: { readonly value: ComparedValue; readonly label: string }) {
  if (value.outcome !== "changed") {
    return (
      <Text size="sm" c="dimmed">
        {value.outcome === "same" ? `${label}: the same.` : `${label}: both differ, but are too large to be read here.`}
      </Text>
    );
  }
  return (
    <div className={classes.scroll} role="region" aria-label={`Differences: ${label}`} tabIndex={0}>
      <Table className={classes.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Where</Table.Th>
            <Table.Th scope="col">A</Table.Th>
            <Table.Th scope="col">B</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {value.differences.map(({ path, a, b }, index) => (
            <Table.Tr key={`${index} ${path}`}>
              <Table.Td className={classes.path}>{path}</Table.Td>
              <Side text={a} side="a" />
              <Side text={b} side="b" />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {value.cut && (
        <Text size="sm" c="dimmed" p="xs">
          There are more differences than these.
        </Text>
      )}
    </div>
  );
}

function Side({ text, side }: { readonly text: string | null; readonly side: "a" | "b" }) {
  return (
    <Table.Td className={classes.value} data-side={text === null ? undefined : side}>
      {text ?? <span className={classes.none}>not there</span>}
    </Table.Td>
  );
}
