import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { SafeText } from "#ui/words/safe-text.tsx";
import type { BoxState, GraphBox } from "./graph-model.ts";
import { formatDuration } from "#ui/words/format.ts";
import { statusText } from "./graph-table.tsx";
import classes from "./graph-node.module.css";

export type GraphNodeData = {
  readonly box: GraphBox;
  readonly state: BoxState | undefined;
  /** Others lie in it. */
  readonly isGroup: boolean;
  /** A call below its caller, from whose lower left it is led to. */
  readonly isCall: boolean;
  readonly isSelected: boolean;
  readonly selected: string;
  readonly onSelect: (id: string) => void;
};

const FROM_LEFT = { left: 16 } as const;

/** A node with how it stands; a click selects its run, and another one the run before. */
export function GraphNode({ data: { box, state, isGroup, isCall, isSelected, selected, onSelect } }: NodeProps<Node<GraphNodeData>>) {
  const facts = factsOf(state).join(" · ");
  const next = runAfter(box, state, selected);
  return (
    <>
      <Handle id="in" type="target" position={isCall ? Position.Left : Position.Top} isConnectable={false} />
      <Handle id="in-right" type="target" position={Position.Right} isConnectable={false} />
      <Handle id="in-left" type="target" position={Position.Left} isConnectable={false} />
      {box.kind === "step" ? (
        <UnstyledButton
          className={classes.box}
          data-status={state?.status ?? "idle"}
          data-current={state?.isCurrent === true || undefined}
          data-selected={isSelected || undefined}
          data-group={isGroup || undefined}
          disabled={next === undefined}
          aria-pressed={isSelected}
          onClick={() => {
            if (next !== undefined) {
              onSelect(next);
            }
          }}
        >
          <span className={classes.name}>
            <span className={classes.dot} />
            <span className={classes.label}>
              <SafeText text={box.label} />
            </span>
          </span>
          <span className={classes.facts}>{facts === "" ? statusText(state) : facts}</span>
          {facts !== "" && <VisuallyHidden>{statusText(state)}</VisuallyHidden>}
        </UnstyledButton>
      ) : (
        <span className={classes.end}>{box.label}</span>
      )}
      <Handle id="out" type="source" position={Position.Bottom} isConnectable={false} {...(isCall ? { style: FROM_LEFT } : {})} />
      <Handle id="out-right" type="source" position={Position.Right} isConnectable={false} />
      <Handle id="out-left" type="source" position={Position.Left} isConnectable={false} />
    </>
  );
}

function factsOf(state: BoxState | undefined): readonly string[] {
  if (state === undefined || state.runs === 0) {
    return [];
  }
  return [
    state.runs > 1 && `${state.runs} runs`,
    state.failures > 0 && `${state.failures} failed`,
    state.isCurrent ? "running" : formatDuration(state.total),
  ].filter((fact) => fact !== false);
}

/** The last run that has begun; when one of them is selected, the one before it. */
function runAfter({ runs }: GraphBox, state: BoxState | undefined, selected: string): string | undefined {
  const begun = runs.slice(0, state?.runs ?? 0);
  const at = begun.findIndex(({ id }) => id === selected);
  return begun.at(at > 0 ? at - 1 : -1)?.id;
}
