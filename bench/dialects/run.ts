import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual, promisify } from "node:util";
import { repository } from "#scripts.ts";
import { makeSender, type Sender } from "./environments.ts";
import { expectRow } from "./expected.ts";
import { REFUSED, startModelServer } from "./model-server.ts";
import { startObservability, type Observability } from "./product.ts";

/**
 * `npm run prove:dialects [-- langfuse google-adk]`: runs the newest SDKs that others send traces with against a model server of its own and the
 * product as it is started for real, once as it should be and once with a model that refuses, and prints what of them arrives. Each has an
 * environment of its own, made once. Fails when a row is another than `expected.ts` has it.
 */
const SENDERS = "bench/dialects/senders";
const PATIENCE_MS = 15_000;
const LOOK_MS = 500;
const MAX_RUN_MS = 120_000;
const GIVEN: readonly (string | null)[] = ["s-1", null];

type Step = {
  readonly kind: string;
  readonly name: string;
  readonly error: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly cost: number | null;
  readonly cache_read_tokens: number | null;
  readonly reasoning_tokens: number | null;
};
type Trace = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  readonly session_id: string | null;
  readonly thread_id: string | null;
  readonly user_id: string | null;
  readonly observation_list: readonly Step[];
};
type Score = { readonly name: string; readonly value: number | null; readonly text_value: string | null };
type Looked = Trace & { readonly scores: readonly Score[] };

const run = promisify(execFile);
const listIn = async (folder: string) =>
  (await readdir(join(repository, folder))).flatMap((file) => (file.endsWith(".txt") ? [file.slice(0, -4)] : []));
const ofNode = await listIn(`${SENDERS}/js`);
const known = [...(await listIn(SENDERS)), ...ofNode];
const wanted = process.argv.length > 2 ? process.argv.slice(2) : known;
const [product, models] = [await startObservability(), await startModelServer()];
const rows: Readonly<Record<string, unknown>>[] = [];
try {
  for (const dialect of wanted) {
    rows.push({ dialect, ...(await prove(dialect)) });
  }
} finally {
  models.stop();
  await product.stop();
}
console.table(rows);
process.exitCode = rows.every(({ arrives }) => arrives === "as expected") ? 0 : 1;

async function prove(dialect: string): Promise<object> {
  const expected = expectRow(dialect);
  let sender: Sender;
  try {
    sender = await makeSender(dialect, ofNode.includes(dialect));
  } catch (error) {
    return { arrives: `could not be installed here: ${lastLine(error)}` };
  }
  const { refused, ...whole } = expected;
  const went = await send(sender, models.url, present, whole);
  const broke = await send(sender, `${models.url}/broken`, presentRefusal, refused);
  const row = { ...went.found, refused: broke.found };
  const wrong = Object.entries(expected).flatMap(([name, value]) => (Reflect.get(row, name) === value ? [] : [name]));
  return { arrives: wrong.length === 0 ? "as expected" : `wrong: ${wrong.join()} ${went.error ?? ""}`, ...row };
}

/** Runs the sender, and waits until what is read from its traces is as expected, or patience ends. */
async function send<Found>([program, script]: Sender, modelsUrl: string, look: (traces: readonly Looked[]) => Found, expected: unknown) {
  const { url, grpc, key } = product;
  const before = new Set((await listTraces(product)).map(({ id }) => id));
  const env = { ...process.env, SIGHTLINE_URL: url, SIGHTLINE_GRPC: grpc, SIGHTLINE_KEY: key, MODELS_URL: modelsUrl };
  const error = await run(program, [script], { cwd: repository, env, timeout: MAX_RUN_MS }).then(() => undefined, lastLine);
  for (const deadline = Date.now() + PATIENCE_MS; ; await delay(LOOK_MS)) {
    const ids = (await listTraces(product)).filter(({ id }) => !before.has(id));
    const found = look(await Promise.all(ids.map(async ({ id }) => lookAt(id))));
    if (isDeepStrictEqual(found, expected) || Date.now() > deadline) {
      return { found, error };
    }
  }
}

async function listTraces({ read }: Observability): Promise<readonly Trace[]> {
  return (await read<{ items: readonly Trace[] }>("/traces")).items;
}

async function lookAt(id: string): Promise<Looked> {
  const { items: scores } = await product.read<{ items: readonly Score[] }>(`/scores?trace_id=${id}`);
  return { ...(await product.read<Trace>(`/traces/${id}`)), scores };
}

function lastLine(error: unknown): string {
  return String(error).trim().split("\n").at(-1) ?? "";
}

function has(value: unknown): boolean {
  return value !== null && value !== undefined && JSON.stringify(value) !== "{}";
}

function sides({ input, output }: { readonly input: unknown; readonly output: unknown }): string {
  return [...(has(input) ? ["in"] : []), ...(has(output) ? ["out"] : [])].join(" ");
}

function present(traces: readonly Looked[]): Readonly<Record<string, unknown>> {
  const [trace] = traces.toSorted((left, right) => right.observation_list.length - left.observation_list.length);
  if (trace === undefined) {
    return { traces: 0 };
  }
  const of = (kind: string) => trace.observation_list.filter((step) => step.kind === kind);
  const calls = of("llm");
  const session = trace.session_id ?? trace.thread_id;
  const sum = (name: "cache_read_tokens" | "reasoning_tokens") => calls.reduce((all, step) => all + (step[name] ?? 0), 0);
  return {
    traces: traces.length,
    status: trace.status,
    name: trace.name,
    said: sides(trace),
    calls: `${calls.filter((call) => sides(call) === "in out" && has(call.cost)).length} of ${calls.length}`,
    tools: of("tool")
      .map((step) => `${step.name} ${sides(step)}`.trim())
      .join(", "),
    tokens: `${trace.input_tokens} + ${trace.output_tokens}`,
    cached: sum("cache_read_tokens"),
    reasoning: sum("reasoning_tokens"),
    cost: trace.cost === null ? null : Number(trace.cost.toFixed(9)),
    session: GIVEN.includes(session) ? session : "its own",
    user: trace.user_id,
    scores: trace.scores.map(({ name, value, text_value: words }) => `${name} ${value ?? words}`).join(),
  };
}

function presentRefusal(traces: readonly Trace[]): string {
  const statuses = [...new Set(traces.map(({ status }) => status))].join();
  const isSaid = traces.some(({ observation_list: steps }) => steps.some(({ error }) => error?.includes(REFUSED)));
  return `${statuses || "nothing"}${isSaid ? ", said" : ""}`;
}
