/** Evaluates a small agent and prints what came of it as JSON: `node run-evaluation.ts KIND DATASET [RESUME]`. */
import { evaluate, evaluateExperiment, type EvaluationResult } from "#src/evaluate.ts";
import { closeRedisPublisher, initializeRedisPublisher, traceTool } from "#src/index.ts";

const [kind = "", dataset = "", resume] = process.argv.slice(2);
const cancel = new AbortController();

async function answer(input: unknown): Promise<unknown> {
  switch (input) {
    case "fail":
      throw new RangeError("no order");
    case "hang":
      return await new Promise(() => undefined);
    case "away":
      throw Object.assign(new Error("overloaded"), { status: 503 });
    case "odd":
      return { big: 2n ** 70n, none: undefined, ratio: Number.NaN, tags: new Set(["a"]) };
    case "circle": {
      const circle: unknown[] = [];
      circle.push(circle);
      return circle;
    }
    case "nothing":
      return undefined;
    case "nul":
      return { nul: "\0", half: "\ud800" };
    case "fail with nul":
      throw new RangeError("\0");
    case "large":
      return "x".repeat(1_000_001);
    case 1:
      return traceTool({ name: "find_order", parameters: { number: 1 } }, () => 1);
    case 4:
      if (kind === "cancel") {
        cancel.abort();
      } else if (kind.startsWith("interrupt")) {
        // Ctrl-C, as a terminal sends it.
        process.kill(process.pid, "SIGINT");
        return await new Promise(() => undefined);
      }
      return input;
    default:
      return input;
  }
}

function same({ output, expected }: { readonly output?: unknown; readonly expected?: unknown }): boolean {
  return output === expected;
}

function length({ outputs, trace }: { readonly outputs?: unknown; readonly trace?: unknown }) {
  return { key: "length", score: String(outputs).length, comment: trace === undefined ? "not traced" : "traced" };
}

function broken(): number {
  throw new TypeError("a bad day");
}

function concise({ output, trace }: { readonly output?: unknown; readonly trace?: unknown }): number {
  if (process.env["BROKEN"] !== undefined && trace === undefined) {
    throw new TypeError("a bad day");
  }
  return String(output).length / 10;
}

if (kind === "interrupt twice") {
  process.once("SIGINT", () => setImmediate(() => process.kill(process.pid, "SIGINT")));
}
if (process.env["OBS_REDIS_URL"]) {
  await initializeRedisPublisher();
}
const plan = {
  task: answer,
  dataset,
  evaluators: kind === "all" ? [same, length, broken] : [same],
  repetitions: kind === "all" ? 2 : 1,
  concurrency: kind === "many" ? 20 : kind === "cancel" || kind.startsWith("interrupt") ? 1 : 4,
  timeout: 2,
  config: { model: "m-1" },
  signal: cancel.signal,
  ...(kind === "cap" ? { maxRuns: 2 } : {}),
  ...(resume === undefined ? {} : { resume: resume === "newest" ? (true as const) : resume }),
};

async function run(): Promise<EvaluationResult> {
  switch (kind) {
    case "again":
      return await evaluateExperiment({ experiment: dataset, evaluators: [same, concise] });
    case "outputs": {
      const outputs = JSON.parse(process.env["OUTPUTS"] ?? "{}") as Readonly<Record<string, unknown>>;
      return await evaluate({ dataset, outputs, evaluators: [same] });
    }
    default:
      return await evaluate(plan);
  }
}

const told = await run().then(
  (result) => ({ experiment: result.experiment, runs: result.runs, table: String(result) }),
  (error: unknown) => ({ error: String(error) }),
);
console.log(JSON.stringify(told));
await closeRedisPublisher();
