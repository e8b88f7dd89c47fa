import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { repository } from "#scripts.ts";
import { startModelServer } from "./model-server.ts";
import { startObservability, type Observability } from "./product.ts";

/**
 * `npm run prove:dialects [-- langfuse google-adk]`: runs the newest SDKs that others send traces with against a model server of its own and the
 * product as it is started for real, and prints what of them arrives. Each has an environment of its own, made once (tools/python-environment.sh).
 * Fails when a dialect's model calls arrive without messages, tokens or cost.
 */
const SENDERS = "bench/dialects/senders";
const PATIENCE_MS = 30_000;
const LOOK_MS = 500;
const MAX_RUN_MS = 120_000;

type Step = {
  readonly kind: string;
  readonly name: string;
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
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  readonly session_id: string | null;
  readonly thread_id: string | null;
  readonly user_id: string | null;
  readonly observation_list: readonly Step[];
};

const run = promisify(execFile);
const known = (await readdir(join(repository, SENDERS))).flatMap((file) => (file.endsWith(".txt") ? [file.slice(0, -4)] : []));
const wanted = process.argv.length > 2 ? process.argv.slice(2) : known;
const [product, models] = [await startObservability(), await startModelServer()];
const rows: Readonly<Record<string, unknown>>[] = [];
try {
  for (const dialect of wanted) {
    rows.push({ dialect, ...(await prove(dialect, product)) });
  }
} finally {
  models.stop();
  await product.stop();
}
console.table(rows);
process.exitCode = rows.every(({ arrives }) => arrives === "whole") ? 0 : 1;

async function prove(dialect: string, { url, key, read }: Observability): Promise<object> {
  const before = new Set((await read<{ items: readonly Trace[] }>("/traces")).items.map(({ id }) => id));
  try {
    const { stdout } = await run("tools/python-environment.sh", [`${SENDERS}/${dialect}.txt`], { cwd: repository });
    const env = { ...process.env, SIGHTLINE_URL: url, SIGHTLINE_KEY: key, MODELS_URL: models.url };
    await run(stdout.trim(), [`${SENDERS}/from-${dialect}.py`], { cwd: repository, env, timeout: MAX_RUN_MS });
  } catch (error) {
    return { arrives: `did not run: ${String(error).trim().split("\n").at(-1) ?? ""}` };
  }
  for (const deadline = Date.now() + PATIENCE_MS; ; await delay(LOOK_MS)) {
    const { items } = await read<{ items: readonly Trace[] }>("/traces");
    const traces = await Promise.all(items.filter(({ id }) => !before.has(id)).map(async ({ id }) => read<Trace>(`/traces/${id}`)));
    const [trace] = traces;
    const row = trace === undefined ? { arrives: "nothing" } : presentTrace(trace, traces.length);
    if (row.arrives === "whole" || Date.now() > deadline) {
      return row;
    }
  }
}

function presentTrace(trace: Trace, traces: number) {
  const steps = trace.observation_list;
  const calls = steps.filter(({ kind }) => kind === "llm");
  const tools = steps.filter(({ kind }) => kind === "tool");
  const has = (value: unknown) => value !== null && value !== undefined && JSON.stringify(value) !== "{}";
  const withMessages = calls.filter(({ input, output }) => has(input) && has(output)).length;
  const sum = (name: "cache_read_tokens" | "reasoning_tokens") => calls.reduce((all, step) => all + (step[name] ?? 0), 0);
  const isWhole = trace.status === "success" && calls.length > 0 && withMessages === calls.length && calls.every(({ cost }) => has(cost));
  return {
    arrives: isWhole ? "whole" : "in part",
    traces,
    name: trace.name,
    steps: steps.length,
    "with messages": `${withMessages} of ${calls.length}`,
    tools: tools.map(({ name, input, output }) => `${name}${has(input) ? " in" : ""}${has(output) ? " out" : ""}`).join(),
    tokens: `${trace.input_tokens} + ${trace.output_tokens}`,
    cached: sum("cache_read_tokens"),
    reasoning: sum("reasoning_tokens"),
    cost: trace.cost,
    session: trace.session_id ?? trace.thread_id,
    user: trace.user_id,
  };
}
