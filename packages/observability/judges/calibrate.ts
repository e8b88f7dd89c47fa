import { hash } from "node:crypto";
import { orRefuse } from "@sightline/foundation/errors";
import {
  MIN_AGREEMENT,
  MIN_LABELS,
  outputOf,
  type Calibration,
  type JudgeOutput,
  type KeptCalibration,
  type ScoreValue,
} from "#contract.ts";
import type { Query } from "#schema.ts";
import { cohenKappa, intraclassCorrelation } from "#statistics/agreement.ts";
import { wilson, type Interval } from "#statistics/intervals.ts";
import { correctedRate, judgeRates } from "#statistics/judge-rates.ts";
import type { OneInProject } from "#store/reader.ts";
import { countVerdicts, keepCalibration, listLabelled, type Labelled } from "./calibration.store.ts";
import { findEvaluator } from "./evaluators.store.ts";
import { evaluatorNotFound } from "./judges.errors.ts";

const SEED = 1;
const MAX_DIFFERING = 50;

/** Finds how far an evaluator's newest version agrees with people, and keeps it. @throws {AppError} 404 */
export async function calibrate(query: Query, wanted: OneInProject): Promise<Calibration> {
  const { name, version, definition } = orRefuse(await findEvaluator(query, wanted), evaluatorNotFound);
  const output = outputOf(definition);
  const labelled = await listLabelled(query, { ...wanted, name, version });
  const verdicts =
    labelled.length === 0 || output.type === "preference" ? [] : await countVerdicts(query, { ...wanted, name, version }, output.type);
  const countOf = (value: string) => verdicts.reduce((sum, { said, count }) => (toText(said) === value ? sum + count : sum), 0);
  const { judgeRates: rates, ...found } = compareWithPeople(labelled, { output, judged: valuesOf(output).map(countOf) });
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
  /** How often the judge gave each value in all; 0 where it judged runs alone, whose labels are taken as a sample. */
  readonly judged: readonly number[];
};

/** Everything but what differs is of the half that is held back: the rubric may have been written by the other one. */
export function compareWithPeople(
  labelled: readonly Labelled[],
  { output, judged }: Judging,
): Omit<Calibration, "version"> & { readonly judgeRates: KeptCalibration["rates"] } {
  const values = valuesOf(output);
  const { pairs, left_out } = readPairs(labelled, output);
  const open = pairs.filter(({ isOpen }) => isOpen);
  const said = pairs.filter(({ isOpen }) => !isOpen).map(({ people, judge }) => [people, judge] as const);
  const count = (isCounted: (people: number, judge: number) => boolean) => said.filter((pair) => isCounted(...pair)).length;
  const all = judged.reduce((sum, each) => sum + each, 0);
  const ratesOf = (at: number) =>
    judgeRates(
      {
        truePositive: count((people, judge) => people === at && judge === at),
        falseNegative: count((people, judge) => people === at && judge !== at),
        falsePositive: count((people, judge) => people !== at && judge === at),
        trueNegative: count((people, judge) => people !== at && judge !== at),
      },
      all === 0 ? undefined : { positive: judged[at] ?? 0, negative: all - (judged[at] ?? 0) },
    );
  const classes = values.map((value, at) => ({
    value,
    labels: pairs.filter(({ people }) => people === at).length,
    recall: ratesOf(at)?.truePositive ?? null,
  }));
  const isNumber = output.type === "number";
  const icc = isNumber ? intraclassCorrelation(said, SEED) : undefined;
  const kappa = cohenKappa(said, isNumber ? "quadratic" : "nominal", SEED);
  const missing =
    output.type === "preference"
      ? ["How far it agrees with people stands beside what it prefers, in the comparison of two experiments."]
      : isNumber
        ? findMissing(pairs.length, 2 * MIN_LABELS, icc, "")
        : classes.flatMap(({ value, labels, recall }) => findMissing(labels, MIN_LABELS, recall, ` on what people call ${value}`));
  const rates = output.type === "boolean" ? (ratesOf(0) ?? null) : null;
  const share = (isCounted: (people: number, judge: number) => boolean) => wilson(count(isCounted), said.length);
  const judge = all === 0 ? share((_, each) => each === 0) : wilson(judged[0] ?? 0, all);
  const inWords = (value: number) => values[value] ?? String(value);
  return {
    is_calibrated: missing.length === 0,
    missing,
    labels: { open: open.length, held_back: said.length },
    left_out,
    classes,
    confusion: values.flatMap((people, row) =>
      values.map((each, column) => ({ people, judge: each, items: count((one, other) => one === row && other === column) })),
    ),
    agreement: [
      ...(kappa === undefined ? [] : [{ measure: isNumber ? ("weighted_kappa" as const) : ("kappa" as const), ...kappa }]),
      ...(icc === undefined ? [] : [{ measure: "icc" as const, ...icc }]),
    ],
    rates: rates && { people: share((people) => people === 0), judge, corrected: correctedRate(judge, rates) ?? null },
    judgeRates: rates,
    differing: open
      .filter((pair) => pair.people !== pair.judge)
      .toSorted((one, other) => Math.abs(other.people - other.judge) - Math.abs(one.people - one.judge))
      .slice(0, MAX_DIFFERING)
      .map((pair) => ({ trace_id: pair.traceId, people: inWords(pair.people), judge: inWords(pair.judge) })),
  };
}

function findMissing(labels: number, needed: number, agreement: Interval | null | undefined, on: string): string[] {
  const low = agreement?.low ?? 0;
  return labels < needed
    ? [`There are ${labels} labels${on}; it takes ${needed}.`]
    : low < MIN_AGREEMENT
      ? [`The lower limit of the agreement${on} is ${low.toFixed(2)}; it takes ${MIN_AGREEMENT}.`]
      : [];
}

/** What people and the judge say of an item: numbers, or places among the values. Labels of several people are the one that most gave, or the mean. */
function readPairs(labelled: readonly Labelled[], output: JudgeOutput) {
  const toNumber = (said: ScoreValue) => (output.type === "number" ? (said.value ?? 0) : valuesOf(output).indexOf(toText(said)));
  const isKnown = (said: ScoreValue) => said.data_type === output.type && (output.type === "number" || toNumber(said) >= 0);
  const fitting = labelled.filter(({ people, judge }) => isKnown(people) && isKnown(judge));
  const items = Map.groupBy(fitting, ({ trace_id: id }) => id);
  const pairs = [...items].flatMap(([traceId, labels]) => {
    const given = labels.map((each) => toNumber(each.people));
    const people = foldLabels(given, output.type === "number");
    return labels[0] === undefined || people === undefined
      ? []
      : [{ traceId, isOpen: !isHeldBack(labels[0].item_id ?? traceId), people, judge: toNumber(labels[0].judge) }];
  });
  return { pairs, left_out: { other_type: labelled.length - fitting.length, tied: items.size - pairs.length } };
}

function foldLabels(labels: readonly number[], areNumbers: boolean): number | undefined {
  const [most, next] = [...Map.groupBy(labels, (label) => label).values()].toSorted((one, other) => other.length - one.length);
  const voted = most?.length === next?.length ? undefined : most?.[0];
  return areNumbers ? labels.reduce((sum, label) => sum + label, 0) / labels.length : voted;
}

/** By the item alone, so that no later version gets to see it; not as samples are drawn, which would be of one half. */
export function isHeldBack(id: string): boolean {
  return hash("sha256", `held back ${id}`, "buffer").readUInt8() % 2 === 0;
}
