import { orRefuse, refusal } from "@sightline/foundation/errors";
import { z } from "zod";
import { isByItem, type ComparedScore, type ExperimentComparison } from "#contract.ts";
import type { Query } from "#schema.ts";
import { findings } from "#statistics/many-scores.ts";
import { sample } from "#statistics/intervals.ts";
import { correctedRate, type JudgeRates } from "#statistics/judge-rates.ts";
import { measureInterval, scoreInterval } from "#statistics/one-score.ts";
import { comparePairs, type Comparison, type Pair } from "#statistics/paired.ts";
import { isSeenFlaky, passAtK, passHatK } from "#statistics/repetitions.ts";
import { judge, type Direction } from "#statistics/verdict.ts";
import type { InProject } from "#store/reader.ts";
import { experimentNotFound } from "./experiments.errors.ts";
import { listCalibrations, type Calibrations } from "#store/calibrations.store.ts";
import { findBaseline, findExperiment, type ExperimentRow } from "./experiments.store.ts";
import { listItemMeans, listRunMeans, type ItemMean } from "./item-means.store.ts";
import { measureItems, type Measured } from "./measured-items.store.ts";
import { presentExperiment } from "./present-experiment.ts";

type Wanted = InProject & { readonly experimentId: string; readonly baseline: string | undefined; readonly margin: number };

/** Experiments of a branch that its baseline is made of, so that one lucky run decides nothing. */
const POOLED = 3;

/** The score of an experiment beside the same of its baseline, and what tells them apart. */
export type Judged = { readonly shown: ComparedScore; readonly comparison: Comparison | null; readonly direction: Direction };
export type Compared = {
  readonly candidate: ExperimentRow;
  readonly measured: Measured;
  /** Scores that the baseline has and the candidate lacks. */
  readonly lost: readonly string[];
  readonly baseline: readonly ExperimentRow[];
  readonly scores: readonly Judged[];
  readonly shown: ExperimentComparison;
};

/** Compares an experiment with a baseline, paired by item. @throws {AppError} 404, or 400 when the two are of different datasets. */
export async function compareExperiments(query: Query, { experimentId, baseline: named, margin, ...project }: Wanted): Promise<Compared> {
  const candidate = orRefuse(await findExperiment(query, { ...project, id: experimentId }), experimentNotFound);
  const baseline = named === undefined ? [] : await resolveBaseline(query, { ...project, candidate, named });
  const [candidateIds, baselineIds] = [[experimentId], baseline.map(({ id }) => id)];
  const [measured, own, others, took, othersTook, calibrations] = await Promise.all([
    measureItems(query, { ...project, experiment: candidate }),
    listItemMeans(query, { ...project, experimentIds: candidateIds }),
    listItemMeans(query, { ...project, experimentIds: baselineIds }),
    listRunMeans(query, { ...project, experimentIds: candidateIds }),
    listRunMeans(query, { ...project, experimentIds: baselineIds }),
    listCalibrations(query, project),
  ]);
  const beside = Map.groupBy([...others, ...othersTook], scoreKey);
  const scores = markFindings(
    [...Map.groupBy([...own, ...took], scoreKey)].map(([key, items]) =>
      compareScore({
        items,
        others: beside.get(key) ?? [],
        candidate,
        measured,
        calibrations,
        margin,
        isPooled: baseline.length > 1,
        baseline: baseline[0],
      }),
    ),
  );
  const shown = {
    candidate: presentExperiment(candidate),
    baseline: baseline.map(presentExperiment),
    margin,
    notes: findNotes(candidate, baseline),
    scores: scores
      .map((score) => score.shown)
      .toSorted((left, right) => Number(left.source === "run") - Number(right.source === "run") || left.name.localeCompare(right.name)),
    unpaired: baseline.length === 0 ? { changed: 0, only_candidate: 0, only_baseline: 0 } : countUnpaired(own, others),
  };
  const names = new Set(own.map(nameOf));
  const lost = [
    ...new Set(others.filter((row) => (row.source === "application" || isByItem(row)) && !names.has(nameOf(row))).map(({ name }) => name)),
  ];
  return { candidate, measured, lost, baseline, scores, shown };
}

/** @throws {AppError} 404 `experiment_not_found`; 400 when it is of another dataset. */
export async function resolveBaseline(
  query: Query,
  { candidate, named, ...project }: InProject & { readonly candidate: ExperimentRow; readonly named: string },
): Promise<readonly ExperimentRow[]> {
  const { id, dataset_id: datasetId, split, created_at: before } = candidate;
  if (!z.uuid().safeParse(named).success) {
    return findBaseline(query, { ...project, datasetId, split, branch: named, except: id, before, limit: POOLED });
  }
  const found = orRefuse(await findExperiment(query, { ...project, id: named }), experimentNotFound);
  if (found.id === id) {
    throw refusal(400, "own_baseline", "An experiment is no baseline of its own: it would never be worse.");
  }
  if (found.dataset_id !== datasetId) {
    throw refusal(
      400,
      "other_dataset",
      `${found.name} is an experiment over ${found.dataset}, this one over ${candidate.dataset}: nothing pairs.`,
    );
  }
  return [found];
}

const DAY_MS = 86_400_000;
/** Models behind the same name change: an old baseline is of another one. */
const FRESH_DAYS = 7;

function findNotes(candidate: ExperimentRow, [newest]: readonly ExperimentRow[]): string[] {
  const days = newest === undefined ? 0 : Math.floor((candidate.created_at.getTime() - newest.created_at.getTime()) / DAY_MS);
  return days > FRESH_DAYS ? [`The baseline is ${days} days older, and what providers serve changes: run it again.`] : [];
}

type Scored = {
  readonly items: readonly ItemMean[];
  readonly others: readonly ItemMean[];
  readonly candidate: ExperimentRow;
  readonly measured: Measured;
  readonly calibrations: Calibrations;
  readonly baseline: ExperimentRow | undefined;
  readonly isPooled: boolean;
  readonly margin: number;
};

function compareScore({ items, others, candidate, measured, calibrations, baseline, isPooled, margin }: Scored): Judged {
  const [first] = items;
  const { name = "", source = "check" } = first ?? {};
  const evaluator = candidate.evaluators.find((each) => each.name === name);
  const isHigher = source === "check" || source === "judge" || (source === "application" && (evaluator?.higher_is_better ?? true));
  const direction = isHigher ? "higher" : "lower";
  const isSingle = (rows: readonly ItemMean[], of: ExperimentRow | undefined) =>
    of?.repetitions === 1 && rows.every(({ is_boolean: isBoolean }) => isBoolean);
  const isSingleBoolean = isSingle(items, candidate) && !isPooled && isSingle(others, baseline);
  const kept = source === "judge" ? calibrations.get(name) : undefined;
  const calibration = String(kept?.version) === first?.evaluator_version ? kept : undefined;
  const rates = calibration?.rates ?? null;
  const pairs = pairUp(items, others);
  const comparison = comparePairs(pairs, { isSingleBoolean });
  const scored = isByItem({ source, name }) ? measured.checked : measured.items;
  return {
    comparison,
    direction,
    shown: {
      name,
      source,
      higher_is_better: isHigher,
      is_calibrated: source === "judge" ? calibration?.is_calibrated === true : null,
      candidate: summarize(items, {
        isSingleBoolean: isSingle(items, candidate),
        expected: source === "run" ? measured.ran : scored * candidate.repetitions,
        rates,
      }),
      baseline:
        others.length === 0 ? null : summarize(others, { isSingleBoolean: !isPooled && isSingle(others, baseline), expected: 0, rates }),
      difference:
        comparison === null
          ? null
          : presentDifference(comparison, {
              direction,
              pairs,
              isMeasured: source === "run",
              margin: source === "run" ? margin * baselineMean(pairs) || margin : margin,
            }),
    },
  };
}

type Summarizing = { readonly isSingleBoolean: boolean; readonly expected: number; readonly rates: JudgeRates | null };

function summarize(rows: readonly ItemMean[], { isSingleBoolean, expected, rates }: Summarizing): ComparedScore["candidate"] {
  const values = rows.flatMap(({ mean, cluster }) => (mean === null ? [] : [{ value: mean, cluster: cluster ?? undefined }]));
  const interval = rows[0]?.source === "run" ? measureInterval(values) : scoreInterval(values, isSingleBoolean);
  const present = rows.reduce((sum, row) => sum + row.values, 0);
  const mean = values.length === 0 ? null : sample(values.map(({ value }) => value)).mean;
  const [low, high] = [finiteOrNull(interval?.low), finiteOrNull(interval?.high)];
  const isKnown = mean !== null && low !== null && high !== null && rates !== null;
  return {
    mean,
    low,
    high,
    corrected: isKnown ? (correctedRate({ value: mean, low, high }, rates) ?? null) : null,
    items: values.length,
    missing: Math.max(
      rows.reduce((sum, row) => sum + row.missing, 0),
      expected - present,
    ),
    repeated: countRepeated(rows),
  };
}

type Presenting = {
  readonly direction: Direction;
  readonly margin: number;
  readonly pairs: readonly Pair[];
  /** Of what runs took, which is hardly ever quite the same: a sure difference that does not matter is none. */
  readonly isMeasured: boolean;
};

function presentDifference(comparison: Comparison, { direction, margin, pairs, isMeasured }: Presenting): ComparedScore["difference"] {
  const { verdict, isWithinMargin, detectable, itemsNeeded } = judge(comparison, { direction, margin });
  const sign = direction === "higher" ? 1 : -1;
  return {
    ...comparison.difference,
    verdict: isMeasured && isWithinMargin ? "same" : verdict,
    margin,
    items: comparison.items,
    improved: pairs.filter((pair) => sign * (pair.candidate - pair.baseline) > 0).length,
    worsened: pairs.filter((pair) => sign * (pair.candidate - pair.baseline) < 0).length,
    procedure: comparison.procedure,
    stands_out: false,
    detectable,
    items_needed: itemsNeeded,
  };
}

/** Of the baseline, a part of which is the margin of what runs took: seconds, tokens and dollars are of no one size. */
function baselineMean(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, { baseline }) => sum + baseline, 0) / pairs.length;
}

/** Whatever decides, all scores are looked at, and of many some differ by chance. */
function markFindings(scores: readonly Judged[]): readonly Judged[] {
  const found = findings(scores.map(({ comparison }) => comparison?.pValue ?? 1));
  return scores.map(({ shown: { difference, ...rest }, ...score }, at) => ({
    ...score,
    shown: { ...rest, difference: difference === null ? null : { ...difference, stands_out: found[at] === true } },
  }));
}

/** Of a boolean that was tried several times. */
function countRepeated(rows: readonly ItemMean[]): ComparedScore["candidate"]["repeated"] {
  const tried = rows.flatMap(({ mean, values }) =>
    mean === null || values < 2 ? [] : [{ passed: Math.round(mean * values), of: values }],
  );
  if (tried.length === 0 || !rows.every(({ is_boolean: isBoolean }) => isBoolean)) {
    return null;
  }
  const fewest = tried.reduce((least, { of }) => Math.min(least, of), Infinity);
  const meanOf = (rate: typeof passAtK) => tried.reduce((sum, item) => sum + (rate(item, fewest) ?? 0), 0) / tried.length;
  return { any_passes: meanOf(passAtK), all_pass: meanOf(passHatK), seen_flaky: tried.filter(isSeenFlaky).length };
}

/** Items that both have with a value, of the same revision. */
function pairUp(items: readonly ItemMean[], others: readonly ItemMean[]): readonly Pair[] {
  const byRevision = new Map(others.map((row) => [revisionKey(row), row.mean]));
  return items.flatMap((item) => {
    const other = byRevision.get(revisionKey(item)) ?? null;
    return item.mean === null || other === null ? [] : [{ baseline: other, candidate: item.mean, cluster: item.cluster ?? undefined }];
  });
}

function countUnpaired(own: readonly ItemMean[], others: readonly ItemMean[]): ExperimentComparison["unpaired"] {
  const [mine, theirs] = [new Set(own.map(({ item_id: id }) => id)), new Set(others.map(({ item_id: id }) => id))];
  const known = new Set(others.map(revisionKey));
  const paired = new Set(own.filter((row) => known.has(revisionKey(row))).map(({ item_id: id }) => id));
  return {
    changed: [...mine].filter((id) => theirs.has(id) && !paired.has(id)).length,
    only_candidate: [...mine].filter((id) => !theirs.has(id)).length,
    only_baseline: [...theirs].filter((id) => !mine.has(id)).length,
  };
}

/** Scores are compared under the same name, source and version of the evaluator, none of which has a NUL. */
function scoreKey({ source, name, evaluator_version: version }: ItemMean): string {
  return `${source}\0${version}\0${name}`;
}

function revisionKey({ item_id: id, item_version: version }: ItemMean): string {
  return `${id} ${version}`;
}

function nameOf({ source, name }: ItemMean): string {
  return `${source}\0${name}`;
}

function finiteOrNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
