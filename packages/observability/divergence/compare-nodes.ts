import type { Divergence, NodeAspect, NodesComparison } from "#contract.ts";
import { findings } from "#statistics/many-scores.ts";
import { comparePairs, type Pair } from "#statistics/paired.ts";
import { findFirst, placesOf } from "./first-divergence.ts";
import type { NodeFact } from "./node-facts.ts";
import { featuresOf, MEASURED, PRESENT, type ComparedItem, type Feature, type FeaturedRun, type Row } from "./run-features.ts";

/** One run of one revision of an item. */
export type RunFacts = {
  readonly item: string;
  readonly cluster: string | null;
  readonly has_failed: boolean;
  readonly nodes: readonly NodeFact[];
};

export type Compared = Pick<NodesComparison, "nodes" | "is_repeated"> & { readonly first_divergence: Divergence | null };

const MAX_ROWS = 200;
/** Features that are compared, each over all items: what only few items have, as a step that is named by its item, tells nothing of the rest. */
const MAX_FEATURES = 1_000;
const MAX_COMPARED = 300_000;

/**
 * What runs do at each node beside what they did before, paired by item. Whether something is so is compared as it is; what differs anyway from
 * run to run, as an answer, only in excess of what two runs of one side differ by. Rows are exploratory; the first divergence is of those
 * that stand out.
 */
export function compareNodes(candidate: readonly RunFacts[], baseline: readonly RunFacts[]): Compared {
  const items = pairItems(candidate, baseline);
  const rows = [
    ...markFindings(compareAll(items, (aspect) => !MEASURED.has(aspect))),
    ...markFindings(compareAll(items, (aspect) => MEASURED.has(aspect))),
  ];
  return {
    nodes: rows
      .toSorted(byWeight)
      .slice(0, MAX_ROWS)
      .map(({ shown }) => shown),
    first_divergence: findFirst(items, rows),
    is_repeated: items.some((item) => item.candidate.length > 1 || item.baseline.length > 1),
  };
}

/** What stands out comes first, in the order of the run; the rest by how sure it is. */
function byWeight(left: Row, right: Row): number {
  const both = Number(right.shown.stands_out) - Number(left.shown.stands_out);
  return both || (left.shown.stands_out ? left.feature.at - right.feature.at : left.pValue - right.pValue);
}

function pairItems(candidate: readonly RunFacts[], baseline: readonly RunFacts[]): readonly ComparedItem[] {
  const toRun = ({ has_failed: hasFailed, nodes }: RunFacts): FeaturedRun => ({ hasFailed, features: featuresOf(nodes) });
  const before = Map.groupBy(baseline, ({ item }) => item);
  return [...Map.groupBy(candidate, ({ item }) => item)].flatMap(([item, runs]) => {
    const others = before.get(item);
    return others === undefined
      ? []
      : [{ cluster: runs[0]?.cluster ?? undefined, candidate: runs.map(toRun), baseline: others.map(toRun) }];
  });
}

function compareAll(items: readonly ComparedItem[], isWanted: (aspect: NodeAspect) => boolean): readonly Row[] {
  const found = new Map<string, { readonly feature: Feature; runs: number }>();
  for (const { features } of items.flatMap(({ candidate, baseline }) => [...candidate, ...baseline])) {
    for (const [key, feature] of features) {
      const known = found.get(key);
      if (known !== undefined) {
        known.runs += 1;
      } else if (isWanted(feature.aspect)) {
        found.set(key, { feature, runs: 1 });
      }
    }
  }
  // Chosen of both sides together, so that what differs between them is neither preferred nor left out.
  return [...found]
    .toSorted(([, left], [, right]) => right.runs - left.runs)
    .slice(0, Math.min(MAX_FEATURES, Math.ceil(MAX_COMPARED / items.length)))
    .flatMap(([key, { feature }]) => compareFeature(items, key, feature) ?? []);
}

/** Null where nothing differs, or nothing pairs. */
function compareFeature(items: readonly ComparedItem[], key: string, feature: Feature): Row | null {
  const { path, kind, aspect, what } = feature;
  const pairOf = PRESENT.has(aspect) ? pairPresence : MEASURED.has(aspect) ? pairMeasured : pairDigests;
  const pairs = items.flatMap((item): readonly Pair[] => {
    const pair = pairOf(item, key);
    return pair === null ? [] : [{ ...pair, cluster: item.cluster }];
  });
  if (pairs.every((pair) => pair.baseline === pair.candidate)) {
    return null;
  }
  const isSingleBoolean = PRESENT.has(aspect) && items.every(({ candidate, baseline }) => candidate.length === 1 && baseline.length === 1);
  const comparison = comparePairs(pairs, { isSingleBoolean });
  if (comparison === null) {
    return null;
  }
  const shown = {
    path,
    kind,
    aspect,
    what,
    ...placesOf(items, key, feature),
    baseline: meanOf(pairs.map((pair) => pair.baseline)),
    candidate: meanOf(pairs.map((pair) => pair.candidate)),
    ...comparison.difference,
    items: pairs.length,
    stands_out: false,
  };
  // Two sides differ no less than one does in itself: what counts is an excess alone.
  const pValue = pairOf !== pairDigests ? comparison.pValue : comparison.difference.value > 0 ? comparison.pValue / 2 : 1;
  return { key, feature, shown, pValue };
}

type Values = Pick<Pair, "baseline" | "candidate">;

/** How often it is so. */
function pairPresence({ candidate, baseline }: ComparedItem, key: string): Values {
  const share = (runs: readonly FeaturedRun[]) => meanOf(runs.map(({ features }) => Number(features.has(key))));
  return { baseline: share(baseline), candidate: share(candidate) };
}

function pairMeasured({ candidate, baseline }: ComparedItem, key: string): Values | null {
  const numbers = (runs: readonly FeaturedRun[]) =>
    runs.flatMap(({ features }) => {
      const feature = features.get(key);
      return typeof feature?.value === "number" ? [feature.aspect === "duration" ? feature.value / 1000 : feature.value] : [];
    });
  const [before, now] = [numbers(baseline), numbers(candidate)];
  return before.length === 0 || now.length === 0 ? null : { baseline: meanOf(before), candidate: meanOf(now) };
}

/** How often a run differs from one of the baseline, beside how often two runs of one side differ. */
function pairDigests({ candidate, baseline }: ComparedItem, key: string): Values | null {
  if (candidate.length < 2 && baseline.length < 2) {
    return null;
  }
  const digests = (runs: readonly FeaturedRun[]) => runs.flatMap(({ features }) => features.get(key)?.value ?? []);
  const [before, now] = [digests(baseline), digests(candidate)];
  const own = [differing(before), differing(now)].filter((share) => share !== null);
  const across = now.flatMap((value) => before.map((other) => Number(value !== other)));
  return own.length === 0 || across.length === 0 ? null : { baseline: meanOf(own), candidate: meanOf(across) };
}

function differing(values: readonly (string | number)[]): number | null {
  const pairs = values.flatMap((value, at) => values.slice(at + 1).map((other) => Number(value !== other)));
  return pairs.length === 0 ? null : meanOf(pairs);
}

function markFindings(rows: readonly Row[]): readonly Row[] {
  const found = findings(rows.map(({ pValue }) => pValue));
  return rows.map((row, at) => ({ ...row, shown: { ...row.shown, stands_out: found[at] === true } }));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
