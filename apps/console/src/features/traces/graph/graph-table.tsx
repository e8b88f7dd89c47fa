import { Anchor, Table } from "@mantine/core";
import type { BoxState, GraphLink, GraphModel } from "./graph-model.ts";
import { formatDuration } from "#ui/words/format.ts";
import { STATUSES } from "#features/traces/marks/trace-status.tsx";
import classes from "./graph-table.module.css";

type GraphTableProps = {
  readonly model: GraphModel;
  readonly states: ReadonlyMap<string, BoxState>;
  readonly onSelect: (id: string) => void;
};

/** The same graph in words. */
export function GraphTable({ model, states, onSelect }: GraphTableProps) {
  const labels = new Map(model.boxes.map((box) => [box.id, nameOf(box.id, box.label, box.runs[0]?.graph_node)]));
  return (
    <details className={classes.table}>
      <summary>The graph as a table</summary>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="The graph as a table">
        <Table verticalSpacing={4} className={classes.rows}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Node</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Runs</Table.Th>
              <Table.Th>Time</Table.Th>
              <Table.Th>Leads to</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {model.boxes.map((box) => {
              const state = states.get(box.id);
              const run = state?.last;
              return (
                <Table.Tr key={box.id}>
                  <Table.Td>
                    {run === undefined ? (
                      labels.get(box.id)
                    ) : (
                      <Anchor component="button" type="button" size="sm" onClick={() => onSelect(run.id)}>
                        {labels.get(box.id)}
                      </Anchor>
                    )}
                  </Table.Td>
                  <Table.Td>{box.kind === "step" ? statusText(state) : "–"}</Table.Td>
                  <Table.Td>{state?.runs ?? 0}</Table.Td>
                  <Table.Td>{state === undefined || state.total === 0 ? "–" : formatDuration(state.total)}</Table.Td>
                  <Table.Td>
                    {model.links
                      .filter(({ from }) => from === box.id)
                      .map((link) => `${labels.get(link.to) ?? link.to} (${linkText(link)})`)
                      .join(", ")}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </div>
    </details>
  );
}

/** A node's whole name, and of a run the one of its node. */
function nameOf(id: string, label: string, node: string | null | undefined): string {
  return label === "Start" || label === "End" ? label : (node ?? (/^[0-9a-f-]{36}$/.test(id) ? label : id));
}

export function statusText(state: BoxState | undefined): string {
  return state === undefined || state.status === "idle" ? "Not run" : STATUSES[state.status].label;
}

/** `declared, not gone`, `conditional, 3 times`, `goto, not declared`. */
function linkText({ isDeclared, taken }: GraphLink): string {
  if (taken.length === 0) {
    return "declared, not gone";
  }
  return taken
    .map(({ via, count }) => `${via}${count > 1 ? `, ${count} times` : ""}${isDeclared || via === "static" ? "" : ", not declared"}`)
    .join("; ");
}
