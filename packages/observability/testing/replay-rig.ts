import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { createTestDatabase } from "@sightline/foundation/testing/test-database";
import { expect, vi } from "vitest";
import { z } from "zod";
import { tracePageSchema, traceSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createConsumerRig } from "./consumer-rig.ts";
import { createEvaluationRig } from "./evaluation-rig.ts";
import { spellTaken } from "./graph-fixture.ts";

const recordedSchema = z.object({ said: z.record(z.string(), z.unknown()), runs: z.int() });
const resultSchema = z.union([
  z.object({ refused: z.string() }),
  z.object({
    trace_id: z.uuid(),
    divergence: z.string().nullable(),
    answered: z.int(),
    live: z.array(z.string()),
    stopped: z.boolean(),
    error: z.string().nullable(),
    output: z.unknown(),
  }),
]);
const replayedSchema = z.object({ found: z.record(z.string(), resultSchema), runs: z.int() });

type Program = { readonly program: readonly string[]; readonly options?: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } };

/** Nobody listens there. */
const NOWHERE = "http://127.0.0.1:9";

export type ReplayRig = Awaited<ReturnType<typeof createReplayRig>>;

/** Agents that are recorded in one process and replayed in another, whose models then have no server. */
export async function createReplayRig({ program, options = {} }: Program) {
  const database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  const consumer = await createConsumerRig(database);
  const rig = await createEvaluationRig(database);
  await consumer.start();
  const url = await rig.api.server.listen({ port: 0, host: "127.0.0.1" });

  async function execute(
    { program: [file = "", ...script], options: given = {} }: Program,
    inputs: readonly string[],
    modelsUrl = NOWHERE,
  ) {
    const env = {
      ...(given.env ?? process.env),
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: modelsUrl,
      OBS_API_URL: url,
      OBS_API_KEY: rig.key,
      OBS_PROJECT_ID: rig.projectId,
      OBS_REDIS_URL: consumer.redis.url,
      OBS_STREAM_NAME: consumer.stream,
    };
    const { stdout } = await promisify(execFile)(file, [...script, ...inputs], { ...given, env, timeout: 60_000 });
    await vi.waitFor(async () => expect(await consumer.redis.client.xlen(consumer.stream)).toBe(0), { timeout: 20_000 });
    return stdout;
  }
  const run = async (...inputs: readonly string[]): Promise<unknown> => JSON.parse(await execute({ program, options }, inputs));

  const traceOf = async (id: string) => traceSchema.parse((await rig.api.get(`${rig.base}/traces/${id}`, "tenant-1:admin")).body);
  async function idOf(name: string): Promise<string> {
    const query = `limit=10&name=${encodeURIComponent(name)}`;
    const page = tracePageSchema.parse((await rig.api.get(`${rig.base}/traces?${query}`, "tenant-1:admin")).body);
    return page.items[0]?.id ?? "";
  }

  const recorded = recordedSchema.parse(await run("record"));
  const names = [...Object.keys(recorded.said), "block"];
  const ids = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await idOf(name)] as const)));
  const replayed = replayedSchema.parse(await run("replay", JSON.stringify(ids)));
  return {
    recorded,
    replayed,
    execute,
    rig,
    traceOf,
    idOf: (name: string) => ids[name] ?? "",
    edgesOf: async (id: string) => spellTaken(await traceOf(id)),
    close: async () => {
      await rig.close();
      await consumer.close();
      await database.drop();
    },
  };
}

/** An example that records its trace, and then replays it without its models. */
export async function expectExample({ execute }: ReplayRig, example: Program): Promise<void> {
  const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Three." } }];
  const said = JSON.stringify({ id: "c1", object: "chat.completion", created: 1, model: "gpt-5", choices });
  const models = createServer((_request, response) => response.setHeader("content-type", "application/json").end(said)).listen(
    0,
    "127.0.0.1",
  );
  await once(models, "listening");
  const address = models.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const id = (await execute(example, [], `http://127.0.0.1:${port}/v1`)).trim();
  models.close();
  expect(await execute(example, [id])).toMatch(/^replay: the same as recorded; 2 calls answered; /);
}

export async function expectSame({ recorded, replayed, edgesOf, idOf }: ReplayRig, names: readonly string[]): Promise<void> {
  const went = Object.fromEntries(
    await Promise.all(
      names.map(async (name) => {
        const result = ranOf(replayed.found[name]);
        const { output, divergence, live, error, trace_id: id } = result;
        return [name, { output, divergence, live, error, edges: await edgesOf(id) }] as const;
      }),
    ),
  );
  const known = Object.fromEntries(
    await Promise.all(
      names.map(async (name) => {
        const edges = await edgesOf(idOf(name));
        return [name, { output: recorded.said[name], divergence: null, live: [], error: null, edges }] as const;
      }),
    ),
  );
  expect(went).toEqual(known);
  expect(recorded.runs).toBeGreaterThan(5);
  expect(replayed.runs).toBe(0);
}

export function expectRefusals({ replayed }: ReplayRig): void {
  const cut = "tools > tool long, call 1: output was cut, masked or not kept when it was recorded";
  expect(replayed.found["cut"]).toEqual({ refused: expect.stringContaining(cut) });
  const own = { "own mask": "tool look, call 1: output was cut, masked or not kept", nowhere: "no trace" };
  const twin = "tool roll, call 2: another call of the same input ran at once, and had another answer";
  for (const [name, reason] of Object.entries({ ...own, twins: twin })) {
    expect(replayed.found[name]).toEqual({ refused: expect.stringContaining(reason) });
  }
  expect(replayed.found["no key"]).toEqual({ refused: expect.stringContaining("There is no such API key") });
}

export async function expectDivergences({ recorded, replayed, traceOf, idOf }: ReplayRig, divergence: string): Promise<void> {
  const [stopped, live] = [ranOf(replayed.found["stopped"]), ranOf(replayed.found["live"])];
  expect(stopped).toMatchObject({
    divergence,
    answered: 0,
    live: [],
    stopped: true,
    output: null,
    error: `ReplayStoppedError: ${divergence}`,
  });
  expect(live).toMatchObject({ divergence, stopped: false, error: null, output: recorded.said["graph"] });
  expect(live.live).toHaveLength(6);
  const missing = "tools, call 2: it was recorded, and did not happen";
  expect(replayed.found["shorter"]).toMatchObject({ divergence: missing, answered: 4, stopped: false });
  const more = "llm openai.embeddings, call 1: the recording has none";
  expect(replayed.found["more"]).toMatchObject({ divergence: more, answered: 1, live: [], stopped: true });
  const trace = await traceOf(live.trace_id);
  expect(trace).toMatchObject({ purpose: "replay", attributes: { metadata: { replay_of: idOf("graph") }, replay: { divergence } } });
  const marked = trace.observation_list.filter(({ attributes }) => attributes["replay_divergence"] === divergence);
  expect(marked.map(({ kind }) => kind)).toEqual(["llm"]);
}

function ranOf(result: z.infer<typeof resultSchema> | undefined) {
  if (result === undefined || "refused" in result) {
    throw new Error(`refused: ${result?.refused}`);
  }
  return result;
}
