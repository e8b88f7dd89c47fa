import { toRecord, type OtlpAttributes, type OtlpEvent, type OtlpValue } from "#otlp/wire/otlp-span.ts";
import type { JsonReader } from "./attribute-reader.ts";
import type { Dialect, EventMessages } from "./dialect.ts";

type Fields = Readonly<Record<string, OtlpValue>>;

const ROLES: ReadonlyMap<string, string> = new Map([
  ["gen_ai.system.message", "system"],
  ["gen_ai.user.message", "user"],
  ["gen_ai.assistant.message", "assistant"],
  ["gen_ai.tool.message", "tool"],
]);

/**
 * Messages as events of the span and not its attributes, as GenAI's conventions had them until 1.36: one event a message (Strands Agents,
 * Semantic Kernel, Azure), the prompt and the completion (OpenLIT), and today's attributes in one event.
 */
export const genAiEvents: Dialect = {
  name: "GenAI events",
  canRead: ({ events }) => events.some(({ name }) => name.startsWith("gen_ai.")),
  // Google's ADK names the user in its logs alone.
  facts: { userId: ({ events }) => events.find(({ attributes }) => attributes.has("user.id"))?.attributes.get("user.id") },
  readEvent,
};

function readEvent({ name, attributes }: OtlpEvent, readJson: JsonReader): EventMessages | undefined {
  const read = (attribute: string) => readJson(attributes.get(attribute) ?? null) ?? undefined;
  if (name === "gen_ai.client.inference.operation.details") {
    const system = read("gen_ai.system_instructions");
    const input = [...(system === undefined ? [] : [{ role: "system", parts: system }]), ...[read("gen_ai.input.messages") ?? []].flat()];
    return withoutMissing({ input: input.length === 0 ? undefined : input, output: read("gen_ai.output.messages") });
  }
  if (name === "gen_ai.content.prompt" || name === "gen_ai.content.completion") {
    return withoutMissing({ input: read("gen_ai.prompt"), output: read("gen_ai.completion") });
  }
  const role = ROLES.get(name);
  const fields = role === undefined && name !== "gen_ai.choice" ? {} : readFields(attributes, readJson);
  if (Object.keys(fields).length === 0) {
    return undefined;
  }
  return role === undefined ? { output: toAnswer(fields) } : { input: { role, ...fields } };
}

/** Reads the fields of a message, which Semantic Kernel and Azure write as the JSON of one attribute. A name with a dot is none, but what the span may have, too. */
function readFields(attributes: OtlpAttributes, readJson: JsonReader): Fields {
  const content = readJson(attributes.get("gen_ai.event.content") ?? null);
  const own = [...attributes].filter(([name]) => !name.includes(".")).map(([name, value]) => [name, readJson(value)] as const);
  return { ...Object.fromEntries(own), ...(toRecord(content) ?? (content === null ? {} : { content })) };
}

function toAnswer({ message, ...fields }: Fields): OtlpValue {
  return { role: "assistant", ...fields, ...(toRecord(message) ?? (message === undefined ? {} : { content: message })) };
}

function withoutMissing(messages: Readonly<Record<string, OtlpValue | undefined>>): EventMessages {
  return Object.fromEntries(Object.entries(messages).filter(([, value]) => value !== undefined));
}
