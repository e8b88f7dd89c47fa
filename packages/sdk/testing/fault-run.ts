/** An application of its own process that lives through one fault: `node fault-run.ts <fault>`. Prints what it noticed as JSON. */
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { closeRedisPublisher, initializeRedisPublisher, observe, trace, traceTool } from "#src/index.ts";
import { sdkState } from "#src/client/sdk-state.ts";
import { createFault, STREAM } from "./faults.ts";
import { PROJECT_ID } from "./project.ts";

const ROUNDS = 8;
const REQUESTS = 60;
const AT_ONCE = 4;
const BUFFER_BYTES = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const escaped: string[] = [];
process.on("unhandledRejection", (reason) => escaped.push(`unhandled: ${String(reason)}`));
process.on("uncaughtException", (error) => escaped.push(`uncaught: ${String(error)}`));
const warnings: string[] = [];

const traced: Run = { around: trace, step: observe, tool: traceTool };
const untraced: Run = { around: (_options, body) => body(), step: (_options, body) => body(), tool: (_tool, body) => body() };

const fault = await createFault(process.argv[2] ?? "");
const options = {
  redisUrl: fault.url,
  streamName: STREAM,
  projectId: PROJECT_ID,
  maxBufferBytes: BUFFER_BYTES,
  logger: { warn: (text: string) => void warnings.push(text) },
};

await serve(2, [untraced]);
const memoryBefore = memory();
const started = await initializeRedisPublisher(options);
await fault.strike();
const { answers, percentiles } = await serve(ROUNDS, [untraced, traced]);
/** Ratios of neighbouring rounds; the quarter of them that other processes disturbed least shows what the SDK costs. */
const ratios = percentiles[0]?.map((without, round) => (percentiles[1]?.[round] ?? Infinity) / without) ?? [];
const memoryGrowth = memory() / memoryBefore;
const heldBytes = sdkState.metrics.bufferedBytes();
const closed = await close();

const underFault = await timed(() => initializeRedisPublisher({ ...options, verifyConsumer: true }));
await fault.stop();
const report = {
  started: started.enabled,
  underFault: underFault.value,
  startMilliseconds: underFault.milliseconds,
  slowdown: percentile(ratios, 0.25),
  memoryGrowth,
  heldBytes,
  bufferBytes: BUFFER_BYTES,
  answers,
  closed,
  escaped,
  warnings,
};
// The publisher that cannot publish is left as it is.
process.stdout.write(JSON.stringify(report), () => process.exit(0));

type Run = {
  readonly around: typeof trace;
  readonly step: typeof observe;
  readonly tool: typeof traceTool;
};

/**
 * Rounds of requests, the kinds by turns, so that both meet what else the machine does. Of each kind what was answered, and the 99th
 * percentile of each round.
 */
async function serve(rounds: number, kinds: readonly Run[]) {
  const byKind = kinds.map((): number[] => []);
  const sums = kinds.map(() => 0);
  for (let round = 0; round < rounds; round += 1) {
    for (const [kind, run] of kinds.entries()) {
      const took: number[] = [];
      await Promise.all(
        Array.from({ length: AT_ONCE }, async (_value, lane) => {
          for (let index = lane; index < REQUESTS; index += AT_ONCE) {
            const startedAt = performance.now();
            const answer = await request(run, index);
            sums[kind] = (sums[kind] ?? 0) + answer;
            took.push(performance.now() - startedAt);
          }
        }),
      );
      byKind[kind]?.push(percentile(took, 0.99));
    }
  }
  return { percentiles: byKind, answers: sums };
}

/** Some work, some waiting, a tool that fails now and then. */
function request({ around, step, tool }: Run, index: number): Promise<number> {
  const question = `question ${index}`.repeat(200);
  return around({ name: "request", input: { question } }, async () => {
    await pause(2);
    const documents = step({ name: "search", input: question }, () => Array.from({ length: 6 }, (_value, rank) => ({ rank, question })));
    try {
      await tool({ name: "shaky", parameters: { index } }, async () => {
        await pause(1);
        if (index % 10 === 0) {
          throw new Error("the tool broke");
        }
      });
    } catch {
      return documents.length + 1;
    }
    return documents.length;
  });
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? 0;
}

/** How many numbers the producer gave, and of how many events is known what became of them, once it is closed. */
async function close() {
  const { publisher, metrics } = sdkState;
  const { milliseconds } = await timed(closeRedisPublisher);
  const accounted = [...metrics.dropped.values()].reduce((sum, count) => sum + count, metrics.published);
  return { milliseconds, given: publisher?.lastSequence() ?? 0, accounted };
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; milliseconds: number }> {
  const startedAt = performance.now();
  return { value: await work(), milliseconds: performance.now() - startedAt };
}

function memory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
