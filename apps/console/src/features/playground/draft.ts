import {
  listVariables,
  playgroundRequestSchema,
  playgroundToolSchema,
  type PromptTemplate,
  type PromptVersion,
  readConversation,
  type RawMessage,
} from "@sightline/observability/contract";
import { z } from "zod";

/** `others`: what a message has beside words, as it is sent. */
type DraftMessage = { readonly role: string; readonly text: string; readonly others: readonly object[] };
/** `parameters`: `{temperature, max_tokens, tools}` as JSON text. */
export type Draft = {
  readonly connectionId: string;
  readonly model: string;
  readonly messages: readonly DraftMessage[];
  readonly parameters: string;
  /** The version that the messages are of, as `name@version`, until they are changed. */
  readonly prompt?: string | undefined;
};

/** A version of a prompt as a draft; a text is a message of the user, which every model takes. */
export function draftOfPrompt(connectionId: string | undefined, { name, version, template, config }: PromptVersion): Draft {
  const messages = typeof template === "string" ? [{ role: "user", content: template }] : template;
  const model = z.string().optional().catch(undefined).parse(config["model"]);
  return { ...toDraft(connectionId, model, { ...config, messages }), prompt: `${name}@${version}` };
}

/** Names of the variables in the messages of drafts. */
export const variablesOf = (drafts: readonly Draft[]) =>
  listVariables(drafts.flatMap(({ messages }) => messages.map(({ role, text }) => ({ role, content: text }))));

/** The messages as a prompt's template; one alone where that was a text before. */
export function toTemplate({ messages }: Draft, before: PromptTemplate | undefined): PromptTemplate {
  const written = messages.map(({ role, text }) => ({ role, content: text }));
  return typeof before === "string" && written.length === 1 ? (written[0]?.content ?? "") : written;
}

/** A recorded call as a draft, from whichever library's words it is in. */
export function toDraft(connectionId = "", model: string | null | undefined, input: unknown): Draft {
  const { messages = [], rest = {} } = readConversation(input, { side: "input", isModelCall: true }) ?? {};
  const temperature = z.number().nullable().catch(null).parse(rest["temperature"]);
  const most = z
    .int()
    .catch(1_000)
    .parse(rest["max_tokens"] ?? rest["max_completion_tokens"]);
  const tools = z.array(toolSchema).catch([]).parse(rest["tools"]);
  const parameters = JSON.stringify({ temperature, max_tokens: most, tools }, null, 2);
  return { connectionId, model: model ?? "", messages: messages.map(toMessage), parameters };
}

/** Also OpenAI's, and Anthropic's. */
const toolSchema = z.preprocess((given) => {
  const { function: inner, input_schema: parameters, ...tool } = z.looseObject({}).catch({}).parse(given);
  return inner ?? (parameters === undefined ? tool : { ...tool, parameters });
}, playgroundToolSchema);

function toMessage({ role, parts }: RawMessage): DraftMessage {
  const words = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const others = parts.flatMap(({ type, value, callId = "call", name = "tool", image }) => {
    const called = { toolCallId: callId, toolName: name };
    const [, mediaType, data] = /^data:([^;]+);base64,(.+)$/.exec(image ?? "") ?? [];
    if (type === "tool_call") {
      return { type: "tool-call", ...called, input: value };
    }
    if (type === "tool_result") {
      return { type: "tool-result", ...called, output: { type: "text", value: words(value) } };
    }
    return data === undefined ? [] : { type: "image", image: data, mediaType };
  });
  const text = parts.flatMap(({ type, value }) => (type === "text" ? words(value) : [])).join("\n");
  return { role: role === "other" ? "user" : role, text, others };
}

/** What is sent of a draft; messages without anything in them are left out. @throws {z.ZodError} @throws {SyntaxError} */
export function toRequest({ connectionId, model, messages, parameters }: Draft) {
  const sent = messages.flatMap(({ role, text, others }) => {
    const content = [...(text === "" ? [] : [{ type: "text", text }]), ...others];
    return content.length === 0 ? [] : { role, content: role === "system" ? text : content };
  });
  return playgroundRequestSchema.parse({ ...JSON.parse(parameters), connection_id: connectionId, model, messages: sent });
}
