import { hash } from "node:crypto";
import { orRefuse } from "@sightline/foundation/errors";
import { MIN_AGREEMENT, MIN_LABELS, type Calibration, type JudgeOutput, type KeptCalibration, type ScoreValue } from "#contract.ts";
import type { Query } from "#schema.ts";
import { cohenKappa, intraclassCorrelation } from "#statistics/agreement.ts";
import { wilson, type Interval } from "#statistics/intervals.ts";
import { correctedRate, judgeRates, type JudgeRates } from "#statistics/judge-rates.ts";
import type { OneInProject } from "#store/reader.ts";
import { countVerdicts, keepCalibration, listLabelled, type Labelled } from "./calibration.store.ts";
import { findEvaluator } from "./evaluators.store.ts";
import { evaluatorNotFound } from "./judges.errors.ts";

/** What people and the judge say of one item; of numbers as they are, otherwise as places among the values. */
type Pair = { readonly traceId: string; readonly isOpen: boolean; readonly people: number; readonly judge: number };

const SEED = 1;
const MAX_DIFFERING = 50;

/** Finds how far an evaluator's newest version agrees with people, and keeps it. @throws {AppError} 404 */
export async function calibrate(query: Query, wanted: OneInProject): Promise<Calibration> {
  const { name, version, definition } = orRefuse(await findEvaluator(query, wanted), evaluatorNotFound);
  const of = { ...wanted, name, version };
  const labelled = await listLabelled(query, of);
  const verdicts = labelled.length === 0 ? [] : await countVerdicts(query, of, definition.output.type);
  const values = valuesOf(definition.output);
  const judged = values.map((value) => verdicts.reduce((sum, { said, count }) => (toText(said) === value ? sum + count : sum), 0));
  const { judgeRates: rates, ...found } = compareWithPeople(labelled, { output: definition.output, judged });
  await keepCalibration(query, wanted.projectId, wanted.id, { version, is_calibrated: found.is_calibrated, rates });
  return { version, ...found };
}

const valuesOf = (output: JudgeOutput) =>
  output.type === "boolean" ? ["true", "false"] : output.type === "category" ? output.categories : [];

function toText({ data_type: type, value, text_value: text }: ScoreValue): string {
  return text ?? (type === "boolean" ? String(value === 1) : String(value));
}

type Judging = {
  readonly output: JudgeOutput;
  /** How often the judge gave each value in all. */
  readonly judged: readonly number[];
};

type Found = Omit<Calibration, "version"> & { readonly judgeRates: KeptCalibration["rates"] };

/** Everything but what differs is of the half that is held back: the rubric may have been written by the other one. */
export function compareWithPeople(labelled: readonly Labelled[], { output, judged }: Judging): Found {
  const values = valuesOf(output);
  const { pairs, left_out } = readPairs(labelled, output);
  const [heldBack, open] = [pairs.filter(({ isOpen }) => !isOpen), pairs.filter(({ isOpen }) => isOpen)];
  const said = heldBack.map(({ people, judge }) => [people, judge] as const);
  const ratesOf = (at: number) => judgeRates(confusionOf(said, at), populationOf(judged, at));
  const classes = values.map((value, at) => ({
    value,
    labels: pairs.filter(({ people }) => people === at).length,
    recall: ratesOf(at)?.truePositive ?? null,
  }));
  const figures =
    output.type === "number"
      ? { weighted_kappa: cohenKappa(said, "quadratic", SEED), icc: intraclassCorrelation(said, SEED) }
      : { kappa: cohenKappa(said, "nominal", SEED) };
  const agreement = Object.entries(figures).flatMap(([measure, figure]) =>
    figure === undefined ? [] : [{ measure: measure as Calibration["agreement"][number]["measure"], ...figure }],
  );
  const missing = output.type === "number" ? [...findMissingOfNumbers(pairs.length, figures.icc)] : classes.flatMap(findMissing);
  const inWords = (value: number) => values[value] ?? String(value);
  const rates = output.type === "boolean" ? ratesOf(0) : undefined;
  return {
    is_calibrated: missing.length === 0,
    missing,
    labels: { open: open.length, held_back: heldBack.length },
    left_out,
    classes,
    confusion: values.flatMap((people, row) =>
      values.map((judge, column) => ({ people, judge, items: said.filter(([one, other]) => one === row && other === column).length })),
    ),
    agreement,
    rates: rates === undefined ? null : compareRates(said, judged, rates),
    judgeRates: rates ?? null,
    differing: open
      .filter(({ people, judge }) => people !== judge)
      .toSorted((one, other) => Math.abs(other.people - other.judge) - Math.abs(one.people - one.judge))
      .slice(0, MAX_DIFFERING)
      .map(({ traceId, people, judge }) => ({ trace_id: traceId, people: inWords(people), judge: inWords(judge) })),
  };
}

/** Labels of several people become the one that most gave, or of numbers their mean. */
function readPairs(labelled: readonly Labelled[], output: JudgeOutput) {
  const values = valuesOf(output);
  const toNumber = (said: ScoreValue) => (output.type === "number" ? (said.value ?? 0) : values.indexOf(toText(said)));
  const fits = ({ people, judge }: Labelled) =>
    people.data_type === output.type && judge.data_type === output.type && toNumber(people) >= (output.type === "number" ? -Infinity : 0);
  const fitting = labelled.filter(fits);
  const items = Map.groupBy(fitting, ({ trace_id: id }) => id);
  const pairs = [...items].flatMap(([traceId, [first, ...more]]): Pair[] => {
    const people =
      first === undefined
        ? undefined
        : foldLabels(
            [first, ...more].map((each) => toNumber(each.people)),
            output,
          );
    const judge = first === undefined ? 0 : toNumber(first.judge);
    return people === undefined ? [] : [{ traceId, isOpen: !isHeldBack(first?.item_id ?? traceId), people, judge }];
  });
  return { pairs, left_out: { other_type: labelled.length - fitting.length, tied: items.size - pairs.length } };
}

function foldLabels(labels: readonly number[], { type }: JudgeOutput): number | undefined {
  if (type === "number") {
    return labels.reduce((sum, label) => sum + label, 0) / labels.length;
  }
  const [most, next] = [...Map.groupBy(labels, (label) => label).values()].toSorted((one, other) => other.length - one.length);
  return most?.length === next?.length ? undefined : most?.[0];
}

/** By the item alone, so that no later version gets to see it; not as samples are drawn, which would be of one half. */
export function isHeldBack(id: string): boolean {
  return hash("sha256", `held back ${id}`, "buffer").readUInt8() % 2 === 0;
}

function confusionOf(said: readonly (readonly [number, number])[], at: number) {
  const count = (isPeople: boolean, isJudge: boolean) =>
    said.filter(([people, judge]) => (people === at) === isPeople && (judge === at) === isJudge).length;
  return {
    truePositive: count(true, true),
    falseNegative: count(true, false),
    falsePositive: count(false, true),
    trueNegative: count(false, false),
  };
}

/** Undefined where it judged runs alone: their labels are taken as a sample. */
function populationOf(judged: readonly number[], at: number) {
  const all = judged.reduce((sum, count) => sum + count, 0);
  return all === 0 ? undefined : { positive: judged[at] ?? 0, negative: all - (judged[at] ?? 0) };
}

function compareRates(said: readonly (readonly [number, number])[], judged: readonly number[], rates: JudgeRates): Calibration["rates"] {
  const shareOf = (labels: readonly number[]) => wilson(labels.filter((label) => label === 0).length, labels.length);
  const { positive, negative } = populationOf(judged, 0) ?? { positive: 0, negative: 0 };
  const judge = positive + negative === 0 ? shareOf(said.map(([, label]) => label)) : wilson(positive, positive + negative);
  return { people: shareOf(said.map(([label]) => label)), judge, corrected: correctedRate(judge, rates) ?? null };
}

function findMissing({ value, labels, recall }: Calibration["classes"][number]): readonly string[] {
  const few = labels < MIN_LABELS ? [`People have called ${labels} items ${value}; it takes ${MIN_LABELS}.`] : [];
  return few.length > 0 || (recall !== null && recall.low >= MIN_AGREEMENT)
    ? few
    : [
        `Of what people call ${value}, the judge says the same of at least ${percent(recall?.low ?? 0)} (lower limit); it takes ${percent(MIN_AGREEMENT)}.`,
      ];
}

function findMissingOfNumbers(labels: number, agreement: Interval | undefined): readonly string[] {
  if (labels < 2 * MIN_LABELS) {
    return [`People have labelled ${labels} items; it takes ${2 * MIN_LABELS}.`];
  }
  const low = agreement?.low ?? 0;
  return low >= MIN_AGREEMENT ? [] : [`ICC is at least ${low.toFixed(2)}, by the lower limit; it takes ${MIN_AGREEMENT}.`];
}

const percent = (share: number) => `${Math.floor(100 * share)}%`;
