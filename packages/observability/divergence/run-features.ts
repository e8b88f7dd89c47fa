import type { ChangedNode, NodeAspect } from "#contract.ts";
import type { NodeFact } from "./node-facts.ts";

/** Something that a run did at a node: that it went there, where it led, what it wrote. */
export type Feature = {
  readonly path: string;
  readonly kind: NodeFact["kind"];
  readonly aspect: NodeAspect;
  /** The edge's target, or the state's key; empty otherwise. */
  readonly what: string;
  /** When in the run; features of one moment are told in this order. */
  readonly at: number;
  /** A digest, of what is compared between two runs; a number, of what is averaged. */
  readonly value: string | number;
  readonly fact: NodeFact;
};

export type FeaturedRun = { readonly hasFailed: boolean; readonly features: ReadonlyMap<string, Feature> };
/** The runs of an item that both have. */
export type ComparedItem = {
  readonly cluster: string | undefined;
  readonly candidate: readonly FeaturedRun[];
  readonly baseline: readonly FeaturedRun[];
};
/** A row with what it is of, in one of the runs that have it. */
export type Row = { readonly key: string; readonly feature: Feature; readonly shown: ChangedNode; readonly pValue: number };

/** Of one moment, that which tells most first. */
const ORDER: Readonly<Record<NodeAspect, number>> = {
  runs: 0,
  input: 0.1,
  edge: 0.2,
  failed: 0.3,
  state: 0.4,
  value: 0.5,
  duration: 0.6,
  cost: 0.7,
};

/** Aspects that one run has or lacks; of the others values are compared. */
export const PRESENT: ReadonlySet<NodeAspect> = new Set<NodeAspect>(["runs", "edge", "failed", "state"]);
/** What a step took hardly ever is the same, and is no other way. */
export const MEASURED: ReadonlySet<NodeAspect> = new Set<NodeAspect>(["duration", "cost"]);

export function featuresOf(nodes: readonly NodeFact[]): ReadonlyMap<string, Feature> {
  const features = new Map<string, Feature>();
  for (const fact of nodes) {
    const { path, kind, begins, ends } = fact;
    const add = (aspect: NodeAspect, what: string, value: string | number, time: number) => {
      features.set(JSON.stringify([path, aspect, what]), { path, kind, aspect, what, at: time + ORDER[aspect], value, fact });
    };
    add("runs", "", 1, begins);
    if (fact.input !== null) {
      add("input", "", fact.input, begins);
    }
    if (fact.edge !== null) {
      add("edge", fact.edge, 1, ends);
    }
    if (fact.has_failed) {
      add("failed", "", 1, ends);
    }
    for (const [key, digest] of Object.entries(fact.output)) {
      add("state", key, 1, ends);
      add("value", key, digest, ends);
    }
    if (fact.duration_ms !== null) {
      add("duration", "", fact.duration_ms, ends);
    }
    if (fact.cost !== null) {
      add("cost", "", fact.cost, ends);
    }
  }
  return features;
}
