import { lastName, type DivergenceOfTwo, type NodeAspect } from "#contract.ts";
import type { NodeFact } from "./node-facts.ts";
import { featuresOf, MEASURED, PRESENT, type Feature } from "./run-features.ts";
import { siteOf, stepPlace } from "./first-divergence.ts";

/**
 * Where one run begins to go another way than the other: the earliest difference, with all that are of the same node. Of two runs nobody knows what
 * differs by chance, as answers do: values are told only where both went the same way. Null where they did the same.
 */
export function compareTwo(a: readonly NodeFact[], b: readonly NodeFact[]): DivergenceOfTwo | null {
  const [before, now] = [featuresOf(a), featuresOf(b)];
  const differing = [...new Map([...before, ...now])].flatMap(([key, feature]) => {
    const [one, other] = [before.get(key), now.get(key)];
    return MEASURED.has(feature.aspect) || one?.value === other?.value
      ? []
      : [{ feature, one, other, at: Math.min(one?.at ?? Infinity, other?.at ?? Infinity) }];
  });
  const isOfWay = ({ feature }: { readonly feature: Feature }) => PRESENT.has(feature.aspect);
  const [first, ...rest] = differing.toSorted((left, right) => Number(isOfWay(right)) - Number(isOfWay(left)) || left.at - right.at);
  if (first === undefined) {
    return null;
  }
  const { path, kind, aspect, what } = first.feature;
  const atSite = [first, ...rest.filter(({ feature }) => siteOf(feature) === siteOf(first.feature))];
  const names = (side: "one" | "other") => atSite.flatMap((each) => nameOf(each[side])).slice(0, 3);
  return {
    path,
    kind,
    aspect,
    what,
    now: names("other"),
    before: names("one"),
    candidate_place: stepPlace(first.feature, first.other ?? now.get(runsKey(path))),
    baseline_place: stepPlace(first.feature, first.one ?? before.get(runsKey(path))),
  };
}

const RUNS: NodeAspect = "runs";
const runsKey = (path: string) => JSON.stringify([path, RUNS, ""]);
const nameOf = (feature: Feature | undefined) => (feature === undefined ? [] : [feature.what || lastName(feature.path)]);
