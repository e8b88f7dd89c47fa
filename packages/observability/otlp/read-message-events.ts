import type { ObservationKind } from "#contract.ts";
import type { JsonReader } from "./attribute-reader.ts";
import type { OtlpAttributes, OtlpEvent, OtlpValue } from "./otlp-span.ts";

type Side = "input" | "output";
type Fields = Readonly<Record<string, OtlpValue>>;
type Said = Readonly<Record<Side, OtlpValue>>;

/** What a span's events tell of its input and output; `rest` are the events of which a side was not asked for, or that tell something else. */
export type MessageEvents = { readonly input?: OtlpValue; readonly output?: OtlpValue; readonly rest: readonly OtlpEvent[] };

const ROLES: ReadonlyMap<string, string> = new Map([
  ["gen_ai.system.message", "system"],
  ["gen_ai.user.message", "user"],
  ["gen_ai.assistant.message", "assistant"],
  ["gen_ai.tool.message", "tool"],
]);

/**
 * Reads messages where they are events of the span and not its attributes, as GenAI's conventions had them until 1.36: one event a
 * message (Strands Agents, Semantic Kernel, Azure), the prompt and the completion (OpenLIT), and today's attributes in one event.
 *
 * @param wanted the sides that no attribute tells.
 */
export function readMessageEvents(
  events: readonly OtlpEvent[],
  { wanted, kind, readJson }: { readonly wanted: readonly Side[]; readonly kind: ObservationKind; readonly readJson: JsonReader },
): MessageEvents {
  const told: Record<Side, OtlpValue[]> = { input: [], output: [] };
  const rest = events.filter((event) => {
    const said = saidIn(event, readJson);
    for (const side of wanted) {
      // One by one: a call has no room for the items of a long list.
      for (const message of [said[side] ?? []].flat()) {
        told[side].push(message);
      }
    }
    const sides = Object.keys(said) as Side[];
    return sides.length === 0 || sides.some((side) => !wanted.includes(side));
  });
  const found = wanted.filter((side) => told[side].length > 0).map((side) => [side, kind === "tool" ? contentOf(told[side]) : told[side]]);
  return { ...Object.fromEntries(found), rest };
}

function saidIn({ name, attributes }: OtlpEvent, readJson: JsonReader): Partial<Said> {
  const read = (attribute: string) => readJson(attributes.get(attribute) ?? null) ?? undefined;
  if (name === "gen_ai.client.inference.operation.details") {
    const system = read("gen_ai.system_instructions");
    const input = [...(system === undefined ? [] : [{ role: "system", parts: system }]), ...[read("gen_ai.input.messages") ?? []].flat()];
    return present({ input: input.length === 0 ? undefined : input, output: read("gen_ai.output.messages") });
  }
  if (name === "gen_ai.content.prompt" || name === "gen_ai.content.completion") {
    return present({ input: read("gen_ai.prompt"), output: read("gen_ai.completion") });
  }
  const role = ROLES.get(name);
  if (role === undefined && name !== "gen_ai.choice") {
    return {};
  }
  const fields = fieldsOf(attributes, readJson);
  return Object.keys(fields).length === 0 ? {} : role === undefined ? { output: answerOf(fields) } : { input: { role, ...fields } };
}

/** What the span says too, and what holds the others. */
const OF_SPAN = new Set(["gen_ai.system", "gen_ai.provider.name", "gen_ai.event.content"]);

/** Reads the fields of a message, which Semantic Kernel and Azure write as the JSON of one attribute. */
function fieldsOf(attributes: OtlpAttributes, readJson: JsonReader): Fields {
  const content = readJson(attributes.get("gen_ai.event.content") ?? null);
  const own = [...attributes].filter(([name]) => !OF_SPAN.has(name)).map(([name, value]) => [name, readJson(value)] as const);
  return { ...Object.fromEntries(own), ...(isObject(content) ? content : content === null ? {} : { content }) };
}

function answerOf({ message, ...fields }: Fields): OtlpValue {
  const said = isObject(message) ? message : message === undefined ? {} : { content: message };
  return { role: "assistant", ...fields, ...said };
}

/** A tool is given its arguments and gives its result: who says so is no part of them. */
function contentOf(messages: readonly OtlpValue[]): OtlpValue {
  const [only, ...others] = messages;
  return others.length === 0 && isObject(only) && only["content"] !== undefined ? only["content"] : [...messages];
}

function present(said: Partial<Record<Side, OtlpValue | undefined>>): Partial<Said> {
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

function isObject(value: OtlpValue | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
