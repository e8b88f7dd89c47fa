import { setImmediate as nextTurn } from "node:timers/promises";
import type { Agreement } from "#contract.ts";
import type { Query } from "#schema.ts";
import { cohenKappa, krippendorffAlpha } from "#statistics/agreement.ts";
import type { OneInProject } from "#store/reader.ts";
import { listLabelled } from "./slots.store.ts";

const SEED = 1;

/** How far people agree in each score of a queue. */
export async function measureAgreement(query: Query, queue: OneInProject): Promise<Agreement[]> {
  const agreement: Agreement[] = [];
  const labelled = await listLabelled(query, queue);
  const told = labelled
    .flatMap(({ labels, ...slot }) => labels.map((label) => ({ ...slot, ...label })))
    .filter(({ data_type: type }) => type !== "text");
  for (const [name, values] of Map.groupBy(told, (label) => label.name)) {
    const texts = [...new Set(values.map(({ text_value: text }) => text))];
    const traces = [...Map.groupBy(values, (value) => value.trace_id).values()].filter((said) => said.length > 1);
    const numbers = traces.map((said) => said.map(({ value, text_value: text }) => value ?? texts.indexOf(text)));
    const isNumber = values.every(({ data_type: type }) => type === "number");
    const areTwo = new Set(traces.flat().map(({ annotator }) => annotator)).size === 2;
    const pairs = numbers.map(([one = 0, other = 0]) => [one, other] as const);
    agreement.push({
      name,
      traces: traces.length,
      alpha: krippendorffAlpha(numbers, isNumber ? "interval" : "nominal", SEED) ?? null,
      kappa: (areTwo && cohenKappa(pairs, isNumber ? "quadratic" : "nominal", SEED)) || null,
    });
    // Intervals of a full queue take up to a tenth of a second each.
    await nextTurn();
  }
  return agreement;
}
