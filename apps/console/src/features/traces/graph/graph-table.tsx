import { Anchor } from "@mantine/core";
import { SafeText } from "#ui/words/safe-text.tsx";
import type { BoxState, GraphLink, GraphModel } from "./graph-model.ts";
import { PlainTable } from "#ui/kit/data-table.tsx";
import { formatDuration } from "#ui/words/format.ts";
import { STATUSES } from "#ui/words/trace-status.tsx";
import classes from "./graph-table.module.css";

type GraphTableProps = {
  readonly model: GraphModel;
  readonly states: ReadonlyMap<string, BoxState>;
  readonly onSelect: (id: string) => void;
};

/** The graph as a table, for readers who can't see the drawing. */
export function GraphTable({ model, states, onSelect }: GraphTableProps) {
  const labels = new Map(model.boxes.map((box) => [box.id, nameOf(box.id, box.label, box.runs[0]?.graph_node)]));
  return (
    <details className={classes.table}>
      <summary>The graph as a table</summary>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="The graph as a table">
        <PlainTable
          verticalSpacing={4}
          className={classes.rows ?? ""}
          rows={model.boxes.map((box) => ({ ...box, state: states.get(box.id) }))}
          rowKey={({ id }) => id}
          columns={[
            { header: "Node", render: ({ id, state }) => <Name run={state?.last} name={labels.get(id)} onSelect={onSelect} /> },
            { header: "Status", render: ({ kind, state }) => (kind === "step" ? statusText(state) : "–") },
            { header: "Runs", render: ({ state }) => state?.runs ?? 0 },
            { header: "Time", render: ({ state }) => (state === undefined || state.total === 0 ? "–" : formatDuration(state.total)) },
            {
              header: "Leads to",
              render: ({ id }) =>
                model.links
                  .filter(({ from }) => from === id)
                  .map((link) => `${labels.get(link.to) ?? link.to} (${linkText(link)})`)
                  .join(", "),
            },
          ]}
        />
      </div>
    </details>
  );
}

type NameProps = Pick<GraphTableProps, "onSelect"> & { readonly run: BoxState["last"]; readonly name: string | undefined };

function Name({ run, name, onSelect }: NameProps) {
  return run === undefined ? (
    name
  ) : (
    <Anchor component="button" type="button" size="sm" onClick={() => onSelect(run.id)}>
      <SafeText text={name ?? ""} />
    </Anchor>
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
