import { lastName, SEPARATOR, type CodeLine, type Divergence } from "#contract.ts";
import { benjaminiHochberg } from "#statistics/many-scores.ts";
import { MEASURED, PRESENT, type ComparedItem, type Feature, type FeaturedRun, type Row } from "./run-features.ts";

/** In so many of a hundred comparisons of equal agents at the most, a divergence is named. */
const CHANCE = 0.05;
const MAX_NAMES = 3;

/** A step belongs to the code that calls it: that is where it was decided that it runs. */
const isOfCaller = ({ aspect, kind }: Feature) => (aspect === "runs" || aspect === "input") && kind !== "node" && kind !== "graph";

/** Its line in a run that has the step. */
export function stepPlace(feature: Feature, found: Feature | undefined): CodeLine | null {
  const fact = found?.fact;
  return fact === undefined ? null : isOfCaller(feature) ? (fact.caller ?? fact.place) : fact.place;
}

/** Its lines in both, of the runs that have it or, for what only one side does, of the same step. */
export function placesOf(
  items: readonly ComparedItem[],
  key: string,
  feature: Feature,
): Pick<Divergence, "candidate_place" | "baseline_place"> {
  const runsKey = JSON.stringify([feature.path, "runs", ""]);
  const placeIn = (runs: readonly FeaturedRun[]) => {
    for (const { features } of runs) {
      const place = stepPlace(feature, features.get(key) ?? features.get(runsKey));
      if (place !== null) {
        return place;
      }
    }
    return null;
  };
  return {
    candidate_place: placeIn(items.flatMap(({ candidate }) => candidate)),
    baseline_place: placeIn(items.flatMap(({ baseline }) => baseline)),
  };
}

/** Where the failing items begin to go another way, of what is more than chance; where most of them do. */
export function findFirst(items: readonly ComparedItem[], rows: readonly Row[]): Divergence | null {
  const told = rows.filter(({ feature }) => !MEASURED.has(feature.aspect));
  const adjusted = benjaminiHochberg(told.map(({ pValue }) => pValue));
  const sure = told.filter((_, at) => (adjusted[at] ?? 1) <= CHANCE);
  const failing = items.filter(({ candidate }) => candidate.some(({ hasFailed }) => hasFailed));
  const firsts = failing.flatMap((item) => firstOf(item, sure) ?? []);
  const [most] = [...Map.groupBy(firsts, ({ row }) => siteOf(row.feature))].toSorted(([, left], [, right]) => right.length - left.length);
  if (most === undefined) {
    return null;
  }
  const [, found] = most;
  const [first] = found;
  if (first === undefined) {
    return null;
  }
  const { path, kind, aspect, what, candidate_place, baseline_place } = first.row.shown;
  const atSite = sure
    .filter((row) => siteOf(row.feature) === siteOf(first.row.feature))
    .toSorted((left, right) => left.feature.at - right.feature.at);
  const names = (sign: number) =>
    atSite.flatMap(({ shown, feature }) => (shown.value * sign > 0 ? [feature.what || lastName(feature.path)] : [])).slice(0, MAX_NAMES);
  return {
    path,
    kind,
    aspect,
    what,
    candidate_place,
    baseline_place,
    now: names(1),
    before: names(-1),
    items: found.length,
    failing: failing.length,
  };
}

/** Two edges from one visit are one divergence, and so are one step and another in its place. */
export function siteOf({ path, aspect, what }: Feature): string {
  return JSON.stringify([aspect === "runs" ? path.split(SEPARATOR).slice(0, -1) : path, aspect, aspect === "value" ? what : ""]);
}

type First = { readonly row: Row; readonly at: number };

function firstOf({ candidate, baseline }: ComparedItem, sure: readonly Row[]): First | null {
  const failed = candidate.find(({ hasFailed }) => hasFailed);
  const differing = sure.flatMap((row): readonly First[] => {
    const now = failed?.features.get(row.key);
    const before = baseline.flatMap(({ features }) => features.get(row.key) ?? []);
    const at = Math.min(now?.at ?? Infinity, before[0]?.at ?? Infinity);
    return isOther(row, now, { before, of: baseline.length }) ? [{ row, at }] : [];
  });
  return differing.toSorted((left, right) => left.at - right.at)[0] ?? null;
}

/** Whether a run differs there from what most runs of the baseline did, and in the direction in which all do. */
function isOther(
  { feature: { aspect }, shown: { value } }: Row,
  now: Feature | undefined,
  { before, of }: { readonly before: readonly Feature[]; readonly of: number },
): boolean {
  if (!PRESENT.has(aspect)) {
    return now !== undefined && before.length > 0 && before.every((other) => other.value !== now.value);
  }
  return value > 0 ? now !== undefined && before.length * 2 < of : now === undefined && before.length * 2 > of;
}
