import { z } from "zod";
import { truncatedValueSchema, type Observation } from "#contract.ts";
import type { Run } from "#query/steps/find-run.store.ts";
import { renderStack } from "./render-stack.ts";
import { recordedText, recordedValue } from "./recorded-text.ts";
import type { Reading } from "./trace-tool.ts";
import { readPayload } from "#query/steps/read-observation.ts";

export const partSchema = z.enum(["error", "stack", "input", "output", "reasoning", "attributes"]);
export type Part = z.infer<typeof partSchema>;

/** A part of an observation from where it was asked for on, as much of it as could fit. */
export type ReadPart = { readonly part: Part; readonly text: string; readonly characters: number };

type PartOptions = {
  readonly run: Run;
  readonly observation: Observation;
  readonly part: Part | undefined;
  /** Characters (code points) that are left out at the beginning. */
  readonly from: number;
};

/** What is worth most comes first; of very long values only what is asked for is read. */
export async function readParts(reading: Reading, { run, observation, part, from }: PartOptions): Promise<readonly ReadPart[]> {
  const { error, stack, input, output, reasoning, attributes } = observation;
  const values: Readonly<Record<Part, unknown>> = {
    error,
    stack: stack === null ? null : renderStack(stack),
    input,
    output,
    reasoning,
    attributes: Object.keys(attributes).length === 0 ? null : attributes,
  };
  const requested = partSchema.options.filter((name) => (part === undefined || name === part) && values[name] !== null);
  const parts: ReadPart[] = [];
  for (const name of requested) {
    parts.push({ part: name, ...(await readPart(reading, { run, value: values[name], from })) });
  }
  return parts;
}

/** No token of a text is longer on the average. */
const CHARACTERS_OF_TOKEN = 8;

type Value = { readonly run: Run; readonly value: unknown; readonly from: number };

async function readPart({ query, call }: Reading, { run, value, from }: Value): Promise<Omit<ReadPart, "part">> {
  const length = call.maxTokens * CHARACTERS_OF_TOKEN;
  const truncated = truncatedValueSchema.safeParse(value).data;
  if (truncated !== undefined) {
    const range = await readPayload(query, run, { eventId: truncated.payload_id, part: truncated.part, from, length });
    return { text: recordedText(range.text), characters: range.characters };
  }
  const characters = Array.from(recordedValue(value));
  return { text: characters.slice(from, from + length).join(""), characters: characters.length };
}

type Fitting = { readonly from: number; readonly maxTokens: number; readonly call: Reading["call"] };

/** Short parts whole, the others as much as is left for each. */
export function fitParts(parts: readonly ReadPart[], { from, maxTokens, call }: Fitting) {
  const byCost = parts.map(({ text }, index) => ({ index, cost: costOf(text, call) })).toSorted((one, other) => one.cost - other.cost);
  const shares = new Map<number, number>();
  let left = maxTokens;
  for (const [place, { index, cost }] of byCost.entries()) {
    const share = Math.min(cost, Math.floor(left / (byCost.length - place)));
    shares.set(index, share);
    left -= share;
  }
  return parts.map(({ part, text, characters }, index) => {
    const shown = take(text, shares.get(index) ?? 0, call);
    const next = from + Array.from(shown).length;
    return { part, text: shown, characters, next_from: next < characters ? next : null };
  });
}

function costOf(text: string, call: Reading["call"]): number {
  return Math.max(call.countTokens(text), call.countTokens(JSON.stringify(text)));
}

/** The beginning that fits as text and, where more characters are escaped, as JSON; a character at least, so that reading on ends. */
function take(text: string, tokens: number, call: Reading["call"]): string {
  let characters = Array.from(text);
  for (let cost = costOf(text, call); cost > tokens && characters.length > 1; cost = costOf(characters.join(""), call)) {
    characters = characters.slice(0, Math.max(Math.floor((characters.length * tokens) / cost) - 1, 1));
  }
  return characters.join("");
}
