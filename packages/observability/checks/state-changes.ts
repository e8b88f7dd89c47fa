import type { Trace } from "#contract.ts";
import { isEqual, isKnown, resolvePointer } from "./json-values.ts";

/**
 * Whether a value of the graph's state is another one before a later node, or in what the graph gave back, than before its first node. A state that
 * lacks the value, as what is sent to one node alone, says nothing of it.
 *
 * @returns a text where it can't be told, which says why.
 */
export function hasChanged(steps: Trace["observation_list"], path: string): boolean | string {
  const outer = steps.find(({ kind }) => kind === "graph");
  if (outer === undefined) {
    return "its trace has no graph";
  }
  // A resumed run is one more of it.
  const graphs = steps.filter(({ kind, parent_id: parent }) => kind === "graph" && parent === outer.parent_id);
  const states = graphs.flatMap((graph) => {
    const nodes = steps.filter(({ kind, parent_id: parent }) => kind === "node" && parent === graph.id);
    return [graph.input, ...nodes.map(({ input }) => input), graph.output];
  });
  if (states.some((state) => !isKnown(state, path))) {
    return "the state was cut or masked when it was recorded";
  }
  const [given, first, ...later] = states.map((state) => resolvePointer(state, path));
  const before = first ?? given;
  return later.some((value) => value !== undefined && (before === undefined || !isEqual(value, before)));
}
