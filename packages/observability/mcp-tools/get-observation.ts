import { orRefuse } from "@sightline/foundation/errors";
import { z } from "zod";
import type { Observation } from "#contract.ts";
import { readObservation } from "#query/steps/read-observation.ts";
import { findStepIds } from "#query/steps/steps.store.ts";
import { findTrace } from "#query/steps/traces.store.ts";
import { fenced, NOTICE, recordedLine, codeText, durationText, timeText } from "./recorded-text.ts";
import { fitParts, partSchema, readParts, type Part, type ReadPart } from "./observation-parts.ts";
import { traceUnknown } from "./tools.errors.ts";
import type { Reading, ToolDefinition } from "./trace-tool.ts";
import { findStep, parseStepEnding } from "./step-ids.ts";

const inputSchema = z.strictObject({
  trace: z.uuid("a trace's id, as list_traces names it").describe("A trace's id, as list_traces names it."),
  observation: z.string().min(1).max(100).describe("A step, by the last digits of its id, as get_trace names it."),
  part: partSchema.optional().describe("Only this of it; a little of everything when left out."),
  from: z.int().min(0).max(1e9).default(0).describe("Of one part: where to begin, in characters, as next_from of an answer before says."),
});

const OVERHEAD_TOKENS = 245;
const NAME = 120;
/** The SDKs tell a stack once where an error passes through several steps. */
const STACK_BELOW = "If its error came from a step below, the stack is there; get_trace names that step as failing.";

export const getObservationTool: ToolDefinition<typeof inputSchema> = {
  name: "get_observation",
  title: "Input and output of a step",
  description: `What one step of a run took in and gave back, with its whole error, its stack, a model's reasoning and its attributes.
Long parts are cut to fit: name a part, and from, to read on.`,
  inputSchema,
  answer: async ({ trace, observation: requested, part, from }, reading) => {
    const { run, observation } = await loadObservation(reading, trace, requested);
    const wanted = { part, from: part === undefined ? 0 : from };
    return answerFor(observation, await readParts(reading, { run, observation, ...wanted }), { ...wanted, reading });
  },
};

async function loadObservation({ query, reader }: Reading, traceId: string, requested: string) {
  const run = orRefuse((await findTrace(query, { reader, traceId }))?.run, traceUnknown);
  const { id } = findStep(await findStepIds(query, run, parseStepEnding(requested)), requested);
  return { run, observation: await readObservation(query, run, id) };
}

type PartRange = { readonly part: Part | undefined; readonly from: number };
type Answering = PartRange & { readonly reading: Reading };

function answerFor(observation: Observation, parts: readonly ReadPart[], { part, from, reading: { call } }: Answering): string {
  const shown = fitParts(parts, { from, maxTokens: call.maxTokens - OVERHEAD_TOKENS, call });
  const cut = shown.filter(({ next_from: next }) => next !== null);
  const isStackWanted = observation.status === "failure" && (part === undefined || part === "stack");
  const notes = [
    ...cut.map(
      ({ part: name, next_from: next, characters }) =>
        `${name} was cut to max_tokens: read on with part=${name}, from=${next} of ${characters} characters.`,
    ),
    ...(isStackWanted && observation.stack === null ? [STACK_BELOW] : []),
    ...(parts.length === 0 ? [part === undefined ? "It has no input, output or error." : `It has no ${part}.`] : []),
  ];
  const code = observation.code === null ? null : codeText(observation.code);
  const head = {
    step: observation.id,
    kind: observation.kind,
    name: recordedLine(observation.name, NAME),
    status: observation.status,
    started_at: observation.started_at,
    duration_ms: observation.duration_ms,
    time_to_first_token_ms: observation.time_to_first_token_ms,
    model: observation.model === null ? null : recordedLine(observation.model, NAME),
    code,
  };
  const model = head.model === null ? "" : `, ${head.model}`;
  const firstToken = head.time_to_first_token_ms === null ? "" : `, first token after ${durationText(head.time_to_first_token_ms)}`;
  const lines = [
    `${head.kind} ${head.name} ${head.step}: ${head.status}, ${timeText(head.started_at)}, ${durationText(head.duration_ms)}${firstToken}${model}`,
    ...(code === null ? [] : [`at ${code}`]),
    ...shown.flatMap(({ part: name, text }) => [`${name}:`, text]),
  ];
  return [NOTICE, fenced(lines.join("\n")), ...notes].join("\n");
}
