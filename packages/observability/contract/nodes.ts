import { z } from "zod";
import { codeLineSchema } from "./datasets.ts";
import { observationKindSchema } from "./parts.ts";

/** Where runs went another way: nodes of an experiment beside those of its baseline, aligned by their paths and never by time. */

/**
 * `runs`: it is visited at all; `edge`: the node that it leads to; `input`: what a tool or a model call is given; `state`: a key that it writes;
 * `value`: what it writes there; `duration` in seconds; `cost` in dollars.
 */
export const nodeAspectSchema = z.enum(["runs", "edge", "input", "failed", "state", "value", "duration", "cost"]);
export type NodeAspect = z.infer<typeof nodeAspectSchema>;

const nodeSchema = {
  /** The names of the steps from the outermost on, each with its number from the second visit on: `agent › verify (2)`. */
  path: z.string(),
  kind: observationKindSchema,
  aspect: nodeAspectSchema,
  /** The edge's target, or the state's key; empty otherwise. */
  what: z.string(),
  /** Its line in both commits, where it was recorded; of a step that is new or gone, the line that calls it. */
  candidate_place: codeLineSchema.nullable(),
  baseline_place: codeLineSchema.nullable(),
};

export const changedNodeSchema = z.object({
  ...nodeSchema,
  /** Means over the items that both have: of `duration` and `cost` what it took, of `input` and `value` how often two runs differ, otherwise how often it is so. */
  baseline: z.number(),
  candidate: z.number(),
  /** Candidate minus baseline, paired by item, with its interval of 95 %. */
  value: z.number(),
  low: z.number(),
  high: z.number(),
  items: z.int(),
  /** Whether it stands out of all these rows: of those that do, about one in ten is chance (Benjamini and Hochberg). */
  stands_out: z.boolean(),
});
export type ChangedNode = z.infer<typeof changedNodeSchema>;

export const divergenceSchema = z.object({
  ...nodeSchema,
  /** What runs do there now, and did before, such as the edge's target. */
  now: z.array(z.string()),
  before: z.array(z.string()),
  /** Failing items of which it is the first difference that is more than chance, and all that fail. */
  items: z.int(),
  failing: z.int(),
});
export type Divergence = z.infer<typeof divergenceSchema>;
/** Of two traces, `baseline` and before being the first. */
export const divergenceOfTwoSchema = divergenceSchema.omit({ items: true, failing: true });
export type DivergenceOfTwo = z.infer<typeof divergenceOfTwoSchema>;

export const nodesSchema = z.object({
  /** Those that stand out first; 200 at the most. */
  nodes: z.array(changedNodeSchema),
  /** Null where no item fails, or nothing that came before is more than chance. */
  first_divergence: divergenceSchema.nullable(),
  /** Runs whose steps are known, and those whose traces did not arrive, or of which there is more than is read. */
  runs: z.object({ candidate: z.int(), baseline: z.int() }),
  unknown: z.object({ candidate: z.int(), baseline: z.int() }),
  /** Whether an item ran twice on either side, so that it is known what differs by chance alone. */
  is_repeated: z.boolean(),
});
export type NodesComparison = z.infer<typeof nodesSchema>;

export const SEPARATOR = " › ";

export function lastName(path: string): string {
  return path.split(SEPARATOR).at(-1) ?? path;
}

/** LangGraph's own name of the end is none to read. */
export function nameTarget(target: string): string {
  return target === "__end__" ? "the end" : target;
}

/** `begins at policy.ts:88: edge verify → refund instead of verify → ask`, without how many items it is of. */
export function describeDivergence(
  divergence: Pick<Divergence, "path" | "aspect" | "what" | "now" | "before" | "candidate_place" | "baseline_place">,
): string {
  const { path, candidate_place: here, baseline_place: there } = divergence;
  const place = here ?? there;
  const where = place?.path === undefined ? "" : ` at ${place.path}${place.line === undefined ? "" : `:${place.line}`}`;
  return `begins${where}: ${describeChange(divergence)} (${path})`;
}

/** The same with how many failing items it is of. */
export function describeFirst(divergence: Divergence): string {
  return `${describeDivergence(divergence)} in ${divergence.items} of ${divergence.failing} failing items`;
}

function describeChange({ path, aspect, what, now, before }: Pick<Divergence, "path" | "aspect" | "what" | "now" | "before">): string {
  const name = lastName(path);
  const key = what === "" ? "the output" : what;
  switch (aspect) {
    case "edge": {
      const edges = (targets: readonly string[]) => targets.map((target) => `${name} → ${nameTarget(target)}`).join(" or ");
      return now.length === 0
        ? `edge ${edges(before)} is no longer taken`
        : `edge ${edges(now)}${before.length === 0 ? "" : ` instead of ${edges(before)}`}`;
    }
    case "runs":
      return now.length === 0
        ? `${before.join(", ")} no longer runs`
        : `${now.join(", ")} runs${before.length === 0 ? ", which did not before" : ` instead of ${before.join(", ")}`}`;
    case "failed":
      return now.length === 0 ? `${name} no longer fails` : `${name} fails`;
    case "state":
      return now.length === 0 ? `${name} no longer gives ${before.join(", ")}` : `${name} gives ${now.join(", ")}, which it did not before`;
    case "input":
      return `${name} is given something else`;
    case "value":
      return `${name} gives something else as ${key}`;
    case "duration":
    case "cost":
      break;
  }
  return `${name} takes another ${aspect}`;
}
