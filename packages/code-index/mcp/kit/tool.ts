import { LATE, within } from "@sightline/foundation/deadline";
import { AppError } from "@sightline/foundation/errors";
import { parseJson } from "@sightline/foundation/parse-json";
import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Semaphore } from "@sightline/foundation/semaphore";
import type { NameFinder } from "#splitting/uses/name-finder.ts";
import type { SearchDependencies } from "#retrieval/search/search.ts";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import { untilAborted } from "#store/tenancy/tenant.ts";
import { branchSchema } from "#branch-schema.ts";

const EVERY_MS = 1_000;

/** Sends a client that asked for it progress every second, so that it does not give up. @returns what stops it. */
function tellProgress({ mcpReq }: ServerContext, maxMs: number): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) {
    return () => undefined;
  }
  const total = maxMs / 1_000;
  let progress = 0;
  const timer = setInterval(() => {
    progress += EVERY_MS / 1_000;
    const params = { progressToken, progress, total, message: `Looking for ${progress} s; it may take ${total}.` };
    // A client that has gone needs no progress.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  }, EVERY_MS);
  return () => clearInterval(timer);
}

export type ToolContext = SearchDependencies & { readonly access: Access; readonly grepLimit: Semaphore; readonly finder: NameFinder };

/**
 * What a tool reads by: `access` belongs to the token of the request, and reads of `database` end with the call. An answer is
 * a text: many clients hand the model the data alone as soon as there are any, and then what guards the text, and what it says of
 * itself, would not arrive.
 */
export type ToolCall = ToolContext & {
  readonly signal: AbortSignal;
  /** How long the answer may be. */
  readonly maxTokens: number;
};

type Described<Input extends z.ZodObject> = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Without `max_tokens`, which all tools take. */
  readonly inputSchema: Input;
  /** It adds something; called again with the same, nothing more. */
  readonly isAdding?: true;
  /** The fields of its input, at any depth, that hold values of an application, whose numbers are taken as they were written. */
  readonly exactValues?: ReadonlySet<string>;
};

export type Tool = Described<z.ZodObject> & {
  /** What `takenBy` makes of it; made for each server where it is left out. */
  readonly taken?: z.ZodObject;
  readonly answer: (given: unknown, call: ToolCall) => Promise<string>;
};

type Definition<Input extends z.ZodObject> = Described<Input> & {
  readonly answer: (given: z.infer<Input>, call: ToolCall) => Promise<string>;
};

export function defineTool<Input extends z.ZodObject>({ answer, ...tool }: Definition<Input>): Tool {
  return { ...tool, taken: takenBy(tool), answer: (given, call) => answer(tool.inputSchema.parse(given), call) };
}

const NO_FIELDS: ReadonlySet<string> = new Set();

/** What clients give a tool. Some models write numbers, truths and lists as texts, and name what they leave out. */
export function takenBy({ inputSchema, exactValues = NO_FIELDS }: Pick<Tool, "inputSchema" | "exactValues">): z.ZodObject {
  const fields = Object.entries({ ...inputSchema.shape, max_tokens: maxTokensSchema });
  return z.strictObject(Object.fromEntries(fields.map(([name, field]) => [name, asMeant(field, exactValues)])));
}

/** The field, which takes the first meaning of what is given that it can take. */
function asMeant(field: z.core.$ZodType, exactValues: ReadonlySet<string>): z.ZodType {
  const takes = (given: unknown) => z.safeParse(field, given).success;
  const taken = z.preprocess((given) => {
    const [meant] = meaningsOf(given, exactValues).filter(({ meaning }) => takes(meaning));
    return meant === undefined ? given : meant.meaning;
  }, field);
  return takes(undefined) ? taken.optional() : taken;
}

type Meant = { readonly meaning: unknown };

/** As it is, as the JSON that a text is, in Python's spelling too, or as a list of one; null and a blank text as left out. */
function meaningsOf(given: unknown, exactValues: ReadonlySet<string>): readonly Meant[] {
  if (given === null || (typeof given === "string" && given.trim() === "")) {
    return [{ meaning: given }, { meaning: undefined }];
  }
  const written = typeof given === "string" ? [given, given.toLowerCase()].map((text) => parseJson(text, exactValues)) : [];
  const one = [given, ...written.filter((meaning) => meaning !== undefined)];
  return [...one, ...one.map((meaning) => [meaning])].map((meaning) => ({ meaning }));
}

/** The other hints are about tools that change something. */
const READ_ONLY = { readOnlyHint: true } as const;
const ADDING = { readOnlyHint: false, destructiveHint: false, idempotentHint: true } as const;

/** Adds a tool: it answers within its time, until it is cancelled, with word of its progress to who asked for that. */
export function addTool(server: McpServer, context: ToolContext, { answer, isAdding, taken, ...tool }: Tool): void {
  const { name, title, description } = tool;
  const config = { title, description, inputSchema: taken ?? takenBy(tool), annotations: isAdding === true ? ADDING : READ_ONLY };
  server.registerTool(name, config, ({ max_tokens: asked, ...given }, call: ServerContext) =>
    callTool(context, { name, call }, (signal) => {
      const maxTokens = Math.floor(Math.min(Math.max(maxTokensSchema.parse(asked), MIN_TOKENS), MAX_TOKENS));
      return answer(given, { ...context, signal, maxTokens, database: untilAborted(context.database, signal) });
    }),
  );
}

const CALL_MS = 15_000;

type Call = { readonly name: string; readonly call: ServerContext };

/** What goes wrong comes back as a result that an assistant can act on. */
async function callTool(
  { log }: ToolContext,
  { name, call }: Call,
  work: (signal: AbortSignal) => Promise<string>,
): Promise<CallToolResult> {
  const ended = new AbortController();
  const signal = AbortSignal.any([call.mcpReq.signal, ended.signal]);
  const stopTelling = tellProgress(call, CALL_MS);
  try {
    const answer = await within(() => work(signal), CALL_MS);
    if (answer === LATE) {
      return failure(`The call took longer than ${CALL_MS / 1000} s and was given up; ask for less, or name where to look.`);
    }
    return { content: [{ type: "text", text: answer }] };
  } catch (error) {
    if (error instanceof AppError && error.status !== 500) {
      return failure(error.message);
    }
    if (!call.mcpReq.signal.aborted) {
      log.error({ err: error, tool: name }, "a tool call failed");
    }
    return failure("The tool failed to answer; try again in a moment.");
  } finally {
    stopTelling();
    // Nobody waits for what still runs.
    ended.abort(ENDED);
  }
}

/** One for all: an exception with its stack takes a tenth of a millisecond to make. */
const ENDED = new Error("the call has ended");

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

/** Tokens of an answer when the caller names no limit. */
const DEFAULT_TOKENS = 2_000;
/** Assistants take 25,000 as the most of a whole answer, by tokenizers that may count more, and as JSON. */
export const MAX_TOKENS = 12_000;
const MIN_TOKENS = 400;

/** What is out of bounds is moved to them. */
const maxTokensSchema = z.number().default(DEFAULT_TOKENS).describe(`Tokens of the answer, ${MIN_TOKENS} to ${MAX_TOKENS}.`);

/** A text of so many characters at the most. Models are told of `tools/list` in every conversation, so it leaves the limit out. */
export function textField(max: number, description: string, min = 1) {
  return z
    .string()
    .refine(({ length }) => length >= min && length <= max, `expected ${min} to ${max} characters`)
    .describe(description);
}

/** Inputs that tools have in common, described the same everywhere. */

export const oneRepoField = textField(200, "owner/repo, as list_repos names it.");

/** Its rule is no part of what models are told of every tool: they take names from answers. */
const branchField = z.string().refine((name) => branchSchema.safeParse(name).success, "not the name of a branch");

export const revisionField = textField(300, "Hash, tag, branch or HEAD~3.");

/** Where to look. */
export const whereFields = {
  repo: textField(200, "owner/repo; all when left out.", 0).optional(),
  path: textField(1_000, "Part of the path: src/server/, *.test.ts.", 0).optional(),
  lang: textField(50, "Language, such as python or ts.", 0).optional(),
  ref: branchField.optional().describe("An indexed branch; the default one when left out."),
};

export const positionField = textField(1_000, "path:line of a use: only its symbol.", 0).optional();

export const cursorField = textField(10_000, "The cursor of the answer before, to go on.").optional();
