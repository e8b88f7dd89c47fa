import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Accounts } from "#accounts.ts";
import { commentPageSchema, commentSchema, MAX_COMMENT_LENGTH, MAX_COMMENTS, tracePageSchema } from "#contract.ts";
import { deleteTraces } from "#deletion/delete-traces.store.ts";
import { redactItemsOfTraces, redactItemsOfUser } from "#deletion/redact-items.store.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { FindStanding } from "#query/access/authenticators.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { agentRun, createProducer } from "#testing/agent-run.ts";
import { countAndFind } from "#testing/count-and-find.ts";
import { createEvaluationRig, type EvaluationRig } from "#testing/evaluation-rig.ts";
import { writeEvents } from "#testing/write-events.ts";
import { createMentionTasks } from "./mention-tasks.ts";

const OWNER = "tenant-1:admin";
const [ANN, BEN, STRANGER, GONE] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
const as = (user: string) => `tenant-1:member:${user}`;

type Told = Parameters<Accounts["tellMention"]>[0];
let database: TestDatabase<ObservabilitySchema>;
let rig: EvaluationRig;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  rig = await createEvaluationRig(database);
  await rig.api.patch(rig.base, { access: "members" }, OWNER);
  await rig.api.put(`${rig.base}/members/${ANN}`, { role: "editor" }, OWNER);
  await rig.api.put(`${rig.base}/members/${BEN}`, { role: "viewer" }, OWNER);
});
afterAll(async () => {
  await rig.close();
  await database.drop();
});

async function makeTrace() {
  const traceId = uuidv7();
  const events = agentRun(createProducer(rig.projectId), traceId);
  await writeEvents(database, events);
  const step = events.flatMap(({ body }) => ("observation_id" in body ? (body.observation_id ?? []) : []))[0] ?? "";
  return { traceId, step };
}

type About = { readonly subject: string; readonly within_id: string; readonly subject_id: string };
const onTrace = (id: string): About => ({ subject: "trace", within_id: id, subject_id: id });
const send = (about: About, text: string, token = as(ANN)) => rig.post("/comments", { ...about, text }, token);
const write = async (about: About, text: string) => commentSchema.parse((await send(about, text)).body);
const remove = (id: string, token: string) =>
  rig.api.server.inject({ method: "DELETE", url: `${rig.base}/comments/${id}`, headers: { authorization: `Bearer ${token}` } });
const listOf = ({ within_id: within }: About) => `/comments?within_id=${within}`;
const read = async (about: About, more = "") => {
  return commentPageSchema.parse((await rig.get(listOf(about) + more, as(BEN))).body);
};
const textsOf = async (about: About) =>
  (await read(about)).items
    .filter((comment) => comment.subject === about.subject && comment.subject_id === about.subject_id)
    .map(({ text }) => text);

/** What is told by so many replicas at once; each knows who has which account. */
async function tell(isKnown = (id: string) => id !== GONE) {
  const told: Told[] = [];
  const findStanding: FindStanding = async (id) =>
    isKnown(id) ? { tenantId: id === STRANGER ? "tenant-2" : "tenant-1", isAdmin: false, projects: [] } : undefined;
  const accounts: Accounts = { audit: async () => undefined, tellMention: async (mention) => void told.push(mention) };
  const replicas = [1, 2].map(() => createMentionTasks({ query: database.query, log: silentLog, accounts, findStanding }));
  await Promise.all(replicas.map((replica) => replica.tellDue()));
  return told;
}

test("each kind of subject has comments of its own, which the list of traces counts", async () => {
  const { traceId, step } = await makeTrace();
  const score = await rig.post("/scores", { trace_id: traceId, name: "helpful", value: 1 }, OWNER);
  const datasetId = await rig.makeDataset([{ input: "a" }]);
  const [item] = await rig.readItems(datasetId);
  const { id: experimentId } = await rig.begin(datasetId);
  await rig.post(`/experiments/${experimentId}/runs`, { runs: [{ item_id: item?.id, repetition: 0, state: "succeeded" }] });
  const about: readonly About[] = [
    onTrace(traceId),
    { subject: "step", within_id: traceId, subject_id: step },
    { subject: "score", within_id: traceId, subject_id: String(score.body["id"]) },
    { subject: "item", within_id: datasetId, subject_id: item?.id ?? "" },
    { subject: "run", within_id: experimentId, subject_id: item?.id ?? "" },
  ];
  for (const subject of about) {
    await write(subject, `about the ${subject.subject}`);
    expect(await textsOf(subject)).toEqual([`about the ${subject.subject}`]);
    const elsewhere = [
      { ...subject, within_id: uuidv7() },
      { ...subject, subject_id: uuidv7() },
    ];
    for (const wrong of elsewhere) {
      expect(await send(wrong, "lost"), wrong.subject).toMatchObject({ status: 404, body: { error: "comment_subject_not_found" } });
    }
  }
  await write(onTrace(traceId), "once more");
  expect((await read(onTrace(traceId))).items.map(({ subject }) => subject)).toEqual(["trace", "score", "step", "trace"]);
  await countAndFind(database, rig.projectId);
  const { items } = tracePageSchema.parse((await rig.get("/traces", as(BEN))).body);
  expect(items.find(({ id }) => id === traceId)?.comments).toBe(4);
});

test("viewers read, editors write, people change their own, and owners delete any", async () => {
  const about = onTrace((await makeTrace()).traceId);
  expect((await send(about, "not mine to say", as(BEN))).status).toBe(403);
  expect((await rig.get(listOf(about), as(uuidv7()))).status).toBe(404);
  expect((await rig.get(listOf(about), rig.key)).status).toBe(401);
  const { id, edited_at: before } = await write(about, "frist");
  const change = (token: string) => rig.api.patch(`${rig.base}/comments/${id}`, { text: "first" }, token);
  expect([before, (await change(OWNER)).status, (await change(as(ANN))).status]).toEqual([null, 404, 200]);
  const { items } = await read(about);
  expect(items).toMatchObject([{ id, text: "first", author: ANN, edited_at: expect.any(String) }]);
  const second = commentSchema.parse((await send(about, "second", OWNER)).body);
  expect((await remove(second.id, as(ANN))).statusCode).toBe(404);
  expect([(await remove(id, OWNER)).statusCode, (await remove(second.id, OWNER)).statusCode]).toEqual([204, 204]);
  expect(await textsOf(about)).toEqual([]);
});

test("a comment has its limits, a subject too, and comments come in pages", async () => {
  const about = onTrace((await makeTrace()).traceId);
  const mentions = Array.from({ length: 21 }, () => `@${uuidv7()}`).join(" ");
  for (const text of ["", "  ", "x".repeat(MAX_COMMENT_LENGTH + 1), "a\0b", mentions]) {
    expect((await send(about, text)).status).toBe(400);
  }
  const made = `insert into observability.comments (project_id, id, subject, within_id, subject_id, text, author, created_at)
    select $1, gen_random_uuid(), 'trace', $2, $2, n::text, 'me', now() + n * interval '1 second' from generate_series(2, $3::int) as n`;
  await database.pool.query(made, [rig.projectId, about.within_id, MAX_COMMENTS]);
  await write(about, "x".repeat(MAX_COMMENT_LENGTH));
  expect(await send(about, "too many")).toMatchObject({ status: 409, body: { error: "too_many_comments" } });
  const first = await read(about, "&limit=200");
  const second = await read(about, `&limit=200&cursor=${first.next_cursor}`);
  expect([first.items[0]?.text, second.items[0]?.text]).toEqual([String(MAX_COMMENTS), String(MAX_COMMENTS - 200)]);
});

test("whoever is mentioned and may see the project is told once, however many replicas tell and whoever died doing it", async () => {
  const about = onTrace((await makeTrace()).traceId);
  const text = `@${BEN} and @${BEN}, also @${STRANGER} @${uuidv7()} @${GONE} @${ANN}: see`;
  const { id } = await write(about, text);
  await database.pool.query("create table kept_mentions as select * from observability.comment_mentions");
  const told = await tell();
  expect(told).toMatchObject([{ userId: BEN, by: ANN, project: "support", path: `/projects/${rig.projectId}/traces/${about.within_id}` }]);
  expect(await tell()).toEqual([]);
  // A process that was killed before it had noted what it told asks for a notice of the same id.
  await database.pool.query("insert into observability.comment_mentions select * from kept_mentions where user_id = $1", [BEN]);
  expect((await tell()).map((mention) => mention.id)).toEqual(told.map((mention) => mention.id));

  await rig.api.patch(`${rig.base}/comments/${id}`, { text: `${text} again` }, as(ANN));
  expect(await tell()).toEqual([]);
  // Taken out and put in again it is the same notice, which is given once.
  await rig.api.patch(`${rig.base}/comments/${id}`, { text: "see" }, as(ANN));
  await rig.api.patch(`${rig.base}/comments/${id}`, { text }, as(ANN));
  expect((await tell()).map((mention) => mention.id)).toEqual(told.map((mention) => mention.id));
  await rig.api.put(`${rig.base}/members/${GONE}`, { role: "viewer" }, OWNER);
  await write(about, `@${GONE}`);
  expect(await tell()).toEqual([]);
  await write(about, `@${GONE}`);
  expect((await tell(() => true)).map(({ userId }) => userId)).toEqual([GONE]);
});

test("nobody is told who was taken out of the project since, or of a comment that was deleted since", async () => {
  const about = onTrace((await makeTrace()).traceId);
  const [carol, dan] = [uuidv7(), uuidv7()];
  await rig.api.put(`${rig.base}/members/${carol}`, { role: "viewer" }, OWNER);
  await rig.api.put(`${rig.base}/members/${dan}`, { role: "viewer" }, OWNER);
  await write(about, `@${carol}`);
  const { id } = await write(about, `@${dan}`);
  const url = `${rig.base}/members/${carol}`;
  await rig.api.server.inject({ method: "DELETE", url, headers: { authorization: `Bearer ${OWNER}` } });
  await remove(id, as(ANN));
  expect(await tell()).toEqual([]);
  const { rows } = await database.pool.query("select 1 from observability.comment_mentions");
  expect(rows).toEqual([]);
});

test("comments go with their trace, score, dataset and experiment, and with the user whose item it was", async () => {
  const { traceId, step } = await makeTrace();
  const score = String((await rig.post("/scores", { trace_id: traceId, name: "helpful", value: 1 }, OWNER)).body["id"]);
  const onScore = { subject: "score", within_id: traceId, subject_id: score };
  await write(onScore, "scored");
  const headers = { authorization: `Bearer ${OWNER}` };
  await rig.api.server.inject({ method: "DELETE", url: `${rig.base}/scores/${score}`, headers });
  expect(await textsOf(onScore)).toEqual([]);
  await write(onTrace(traceId), "whole");
  await write({ subject: "step", within_id: traceId, subject_id: step }, "part");

  const datasetId = await rig.makeDataset([{ input: "a", subject: "erika" }, { input: "b" }, { input: "c" }]);
  const items = await rig.readItems(datasetId);
  const { id: experimentId } = await rig.begin(datasetId);
  const runs = items.map((item, at) => ({ item_id: item.id, repetition: 0, state: "succeeded", trace_id: at === 1 ? traceId : null }));
  await rig.post(`/experiments/${experimentId}/runs`, { runs });
  for (const { id } of items) {
    await write({ subject: "item", within_id: datasetId, subject_id: id }, `item ${id}`);
    await write({ subject: "run", within_id: experimentId, subject_id: id }, `run ${id}`);
  }
  const left = async () => {
    const ids = [traceId, datasetId, experimentId];
    const found = await database.pool.query("select subject from observability.comments where within_id = any($1) order by 1", [ids]);
    return found.rows.map(({ subject }) => String(subject)).join(" ");
  };
  expect(await left()).toBe("item item item run run run step trace");
  const { signal } = new AbortController();
  await redactItemsOfUser(database.query, { projectId: rig.projectId, userId: "erika", signal });
  expect(await left()).toBe("item item run run step trace");
  await redactItemsOfTraces(database.query, rig.projectId, [traceId]);
  expect(await left()).toBe("item item run step trace");
  await deleteTraces(database.query, { projectId: rig.projectId, reader: { kind: "operator" }, ids: [traceId] });
  expect(await left()).toBe("item item run");
  await rig.api.server.inject({ method: "DELETE", url: `${rig.base}/datasets/${datasetId}`, headers });
  expect(await left()).toBe("");
});
