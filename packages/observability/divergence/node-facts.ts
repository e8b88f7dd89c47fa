import { createHash } from "node:crypto";
import { SEPARATOR, type CodeLine, type Trace } from "#contract.ts";
import { childPlaces, growTree } from "#trace-facts/step-tree.ts";

type Step = Trace["observation_list"][number];

/** One visit of a node, or one step, in a run: what is kept of it with the run, so that experiments are compared after their traces are gone. */
export type NodeFact = {
  /** Where it is, whenever it ran: the names from the outermost on, each with its number among those of its name below the same parent. */
  readonly path: string;
  readonly kind: Step["kind"];
  /** When it began and ended among the beginnings and ends of all steps of the run, what is in it between them. */
  readonly begins: number;
  readonly ends: number;
  /** The node that it led to; null where none is known. */
  readonly edge: string | null;
  readonly has_failed: boolean;
  /** Of a tool or a model call, a digest of what it was given. */
  readonly input: string | null;
  /** Digests of what it gave back, of an object by its keys; the key of a whole value is empty. */
  readonly output: Readonly<Record<string, string>>;
  readonly duration_ms: number | null;
  readonly cost: number | null;
  /** The line that ran; of a tool or a call that the code around it made, as far as that is known. */
  readonly place: CodeLine | null;
  readonly caller: CodeLine | null;
};

/** Of longer runs the beginning is kept. */
const MAX_NODE_FACTS = 300;
const MAX_KEYS = 50;
const MAX_NAME = 200;
const MAX_PATH = 1_000;
const DIGEST_LENGTH = 12;

/** @param salt of the project, so that nobody tells from a digest what another project holds. */
export function nodeFactsOf(trace: Pick<Trace, "observation_list" | "graph">, salt: string): readonly NodeFact[] {
  const tree = growTree<Step>(trace.observation_list);
  const taken = takenEdges(trace);
  const facts: NodeFact[] = [];
  let clock = 0;
  walk(-1, "", null);
  return facts.toSorted((left, right) => left.begins - right.begins);

  function walk(parent: number, above: string, caller: CodeLine | null): void {
    const visits = new Map<string, number>();
    const steps = childPlaces(tree, parent).flatMap((at) => (tree.nodes[at] === undefined ? [] : [{ at, step: tree.nodes[at].step }]));
    for (const [index, { at, step }] of steps.entries()) {
      const begins = clock;
      if (begins >= MAX_NODE_FACTS * 2) {
        return;
      }
      clock += 1;
      const visit = (visits.get(step.name) ?? 0) + 1;
      visits.set(step.name, visit);
      const path = `${above}${step.name.slice(0, MAX_NAME)}${visit === 1 ? "" : ` (${visit})`}`.slice(0, MAX_PATH);
      const place = placeOf(step) ?? caller;
      // Deeper paths would all be cut alike, and be taken for one.
      if (path.length < MAX_PATH) {
        walk(at, `${path}${SEPARATOR}`, place);
      }
      const later = steps.slice(index + 1).map((sibling) => sibling.step);
      facts.push({ ...describe(step, salt), path, begins, ends: clock, edge: edgeOf(step, later, taken), place, caller });
      clock += 1;
    }
  }
}

type Described = Pick<NodeFact, "kind" | "has_failed" | "input" | "output" | "duration_ms" | "cost">;

function describe({ kind, status, input, output, duration_ms, cost }: Step, salt: string): Described {
  const isCall = kind === "tool" || kind === "llm";
  return {
    kind,
    has_failed: status === "failure",
    input: isCall ? digest(input, salt) : null,
    output: digestKeys(output, salt),
    duration_ms,
    cost,
  };
}

function digestKeys(value: unknown, salt: string): Record<string, string> {
  if (value === null || value === undefined) {
    return {};
  }
  const entries: readonly (readonly [string, unknown])[] =
    typeof value === "object" && !Array.isArray(value) ? Object.entries(value).slice(0, MAX_KEYS) : [["", value]];
  return Object.fromEntries(entries.map(([key, part]) => [key.slice(0, MAX_NAME), digest(part, salt)]));
}

/** What every run makes anew, as messages' ids, is no difference. */
const OF_A_RUN = new Set(["id", "run_id", "tool_call_id", "created", "created_at", "response_metadata", "usage_metadata"]);

function digest(value: unknown, salt: string): string {
  return createHash("sha256")
    .update(`${salt}\0${JSON.stringify(ordered(value))}`)
    .digest("hex")
    .slice(0, DIGEST_LENGTH);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(ordered);
  }
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !OF_A_RUN.has(key))
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, part]) => [key, ordered(part)]),
  );
}

function placeOf({ code }: Step): CodeLine | null {
  if (code === null) {
    return null;
  }
  const { file, ...rest } = code;
  return { ...rest, path: file };
}

/** Edges from each node, by the names within their graph. */
function takenEdges({ graph }: Pick<Trace, "graph">): ReadonlyMap<string, ReadonlySet<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of graph?.taken ?? []) {
    if (from !== null) {
      const name = innermost(from);
      edges.set(name, (edges.get(name) ?? new Set()).add(innermost(to)));
    }
  }
  return edges;
}

const innermost = (name: string) => name.slice(name.lastIndexOf(":") + 1);

/** A visit led to the first of the nodes after it to which an edge was taken. */
function edgeOf({ kind, name }: Step, later: readonly Step[], taken: ReadonlyMap<string, ReadonlySet<string>>): string | null {
  if (kind !== "node") {
    return null;
  }
  const targets = taken.get(name);
  const next = later.find((step) => step.kind === "node" && targets?.has(step.name) === true);
  return next?.name ?? (targets?.has("__end__") === true ? "__end__" : null);
}
