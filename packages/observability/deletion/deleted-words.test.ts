import { needsPython } from "@sightline/foundation/testing/find-python";
import { createAlarm } from "@sightline/foundation/repeat";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase } from "@sightline/foundation/testing/test-database";
import { describe, expect, test, vi, type TestContext } from "vitest";
import { deletionPageSchema, traceSchema } from "#contract.ts";
import { createHousekeeping } from "#housekeeping/housekeeping.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { packHours } from "#testing/in-the-background.ts";
import { countMarkedTraces } from "#counting/count-traces.store.ts";
import { API_KEY, createApiRig } from "#testing/api-rig.ts";
import { createConsumerRig } from "#testing/consumer-rig.ts";
import { findText } from "#testing/find-text.ts";
import { startTalkingApp } from "#testing/talking-app.ts";

/** What is promised. */
const MINUTE = { timeout: 60_000, interval: 500 };
const SOON = { timeout: 20_000, interval: 50 };
const OWNER = "tenant-1:admin";
const [ERIKA, JOHN] = ["erika_\"4711'é", "john 0815"];
const SECRET = `PLANTED4711 ${"private words ".repeat(50)}`;
const SHARED = { role: "system", content: `SHARED0815 ${"be kind ".repeat(80)}` };

type World = Awaited<ReturnType<typeof createWorld>>;

async function createWorld(language: Parameters<typeof startTalkingApp>[0], { onTestFinished }: TestContext) {
  const database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  const rig = await createConsumerRig(database);
  await rig.start();
  const alarm = createAlarm();
  const api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey, alarm });
  const housekeeping = createHousekeeping({ query: database.query, log: silentLog, wakenBy: alarm.wakenBy });
  housekeeping.start();
  const app = startTalkingApp(language, [rig.redis.url, rig.stream, rig.projectId]);
  onTestFinished(async () => {
    await app.stop();
    await housekeeping.stop();
    await api.close();
    await rig.close();
    await database.drop();
  }, 60_000);
  return { database, rig, api, app };
}

// Each waits nearly half a minute for what is promised of a whole one.
describe.concurrent.each([
  ["TypeScript", {}],
  ["Python", needsPython],
] as const)("with the SDK for %s", (language, needed) => {
  test(
    "the words of a deleted user are nowhere a minute later, and those that others need stay whole",
    { ...needed, timeout: 120_000 },
    async (context) => {
      const world = await createWorld(language, context);
      const { database, rig, api, app } = world;
      const [secret, other] = [
        { role: "user", content: SECRET },
        { role: "user", content: "Hello" },
      ];
      for (const messages of [
        [SHARED, secret],
        [SHARED, secret],
      ]) {
        await app.say(ERIKA, messages);
      }
      const before = [await app.say(JOHN, [SHARED, other]), await app.say(JOHN, [SHARED, other])];
      await written(world);
      await isWhole(world, before, [SHARED, other]);
      const { rows } = await database.pool.query<{ contents: number }>("select count(*)::int as contents from observability.blobs");
      expect(rows).toEqual([{ contents: 2 }]);
      const deadLetter = await setAside(world, ERIKA);
      while (await countMarkedTraces(database.query, rig.projectId)) {
        // The traces that are left.
      }
      // As if all of it were of an hour that is long over: then it is packed.
      await database.pool.query(`
      update observability.traces set started_at = started_at - interval '3 hours', ended_at = ended_at - interval '3 hours';
      update observability.trace_entries set sort_at = sort_at - interval '3 hours';
      update observability.trace_hours set changed_at = now() - interval '1 day', hour = hour - interval '3 hours'`);
      await packHours(database.query, 0);
      expect(await found(world)).toEqual(
        expect.arrayContaining(
          ["blobs.content", "trace_groups.value", "trace_hour_fields.said", "dead_letters.entry"].map((each) => `observability.${each}`),
        ),
      );

      const id = await deleteUser(world, ERIKA);
      // Meanwhile the same words are sent by somebody else, who needs them.
      const during: string[] = [];
      await vi.waitFor(async () => {
        during.push(await app.say(JOHN, [SHARED, other]));
        expect(await stateOf(world, id)).toBe("done");
      }, MINUTE);
      expect(await found(world)).toEqual([]);
      const after = [await app.say(JOHN, [SHARED, other]), await app.say(JOHN, [SHARED, other])];
      await written(world);
      await isWhole(world, [...before, ...during, ...after], [SHARED, other]);
      const { body } = await api.get(`/api/v1/projects/${rig.projectId}/deletions`, OWNER);
      expect(deletionPageSchema.parse(body).items).toMatchObject([
        { id, kind: "user", state: "done", requested_by: "user-1", traces: 2, scores: 0, dead_letters: 1 },
      ]);
      const { body: emptied } = await api.get(`/api/v1/dead-letters/${deadLetter}`, API_KEY);
      expect(emptied).toMatchObject({ state: "deleted", deleted_by: "user-1" });
      expect((await api.get(`/api/v1/projects/${rig.projectId}/users/${encodeURIComponent(ERIKA)}`)).status).toBe(404);
    },
  );

  test("a content that went with its last trace is sent again when somebody says it", { ...needed, timeout: 120_000 }, async (context) => {
    const world = await createWorld(language, context);
    const { database, rig, api, app } = world;
    const ids = [await app.say(ERIKA, [SHARED]), await app.say(ERIKA, [SHARED])];
    await written(world);
    expect((await api.post(`/api/v1/projects/${rig.projectId}/traces/delete`, { trace_ids: ids }, OWNER)).body).toEqual({ traces: 2 });
    await vi.waitFor(async () => expect(await findText(database, rig.redis.client, [ERIKA, "SHARED0815"])).toEqual([]), MINUTE);
    const again = [await app.say(JOHN, [SHARED]), await app.say(JOHN, [SHARED])];
    await written(world);
    await isWhole(world, again, [SHARED]);
  });
});

async function written({ rig }: World): Promise<void> {
  await vi.waitFor(async () => expect(await rig.redis.client.xlen(rig.stream)).toBe(0), SOON);
}

/** Each of the traces, and its step, as it was said; nothing of it is missing. */
async function isWhole(world: World, ids: readonly string[], messages: readonly object[]): Promise<void> {
  await written(world);
  for (const id of ids) {
    const trace = traceSchema.parse((await world.api.get(`/api/v1/traces/${id}`)).body);
    expect([trace.input, trace.observation_list[0]?.input]).toEqual([{ messages }, { messages }]);
  }
}

/** An entry that can't be read, of the user; its id once it is set aside. */
async function setAside({ database, rig }: World, user: string): Promise<string | undefined> {
  const body = JSON.stringify({ trace_id: "none", name: "chat", user_id: user, input: SECRET });
  await rig.redis.client.xadd(rig.stream, "*", "v", "1", "type", "trace.start", "project_id", rig.projectId, "body", body);
  return vi.waitFor(async () => {
    const { rows } = await database.pool.query<{ id: string }>("select id from observability.dead_letters");
    expect(rows).toHaveLength(1);
    return rows[0]?.id;
  }, SOON);
}

async function deleteUser({ api, rig }: World, user: string): Promise<string> {
  const answer = await api.server.inject({
    method: "DELETE",
    url: `/api/v1/projects/${rig.projectId}/users/${encodeURIComponent(user)}`,
    headers: { authorization: `Bearer ${OWNER}` },
  });
  expect([answer.statusCode, answer.json()]).toMatchObject([202, { state: "deleting", kind: "user", traces: 0 }]);
  return answer.json<{ id: string }>().id;
}

async function stateOf({ api, rig }: World, id: string): Promise<unknown> {
  return (await api.get(`/api/v1/projects/${rig.projectId}/deletions/${id}`, OWNER)).body["state"];
}

/** Where anything of her is, as she wrote it or as JSON has it. */
function found({ database, rig }: World): Promise<readonly string[]> {
  return findText(database, rig.redis.client, ["PLANTED4711", "private words", ERIKA, "erika_"]);
}
