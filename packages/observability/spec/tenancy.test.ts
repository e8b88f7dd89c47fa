import { text } from "node:stream/consumers";
import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProjectRole } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer, fieldsOf } from "#testing/agent-run.ts";
import { API_KEY, type ServedRoute } from "#testing/api-rig.ts";
import { exploredRun } from "#testing/explored-run.ts";
import { furnishIssue } from "#testing/furnish-issue.ts";
import { furnishJudge } from "#testing/furnish-judge.ts";
import { furnishPair } from "#testing/furnish-pair.ts";
import { createOtlpRig, type OtlpRig } from "#testing/otlp-rig.ts";
import { writeEvents } from "#testing/write-events.ts";
import { NEEDED } from "./needed-roles.ts";
import { BODIES, LANGFUSE, QUERIES, TABLES } from "./route-requests.ts";

/* “Which routes require which credential: not shown” (docs/contract.md#observability-authentication): what was decided. */

/** What a tenant has of everything that a route may name. */
type World = Readonly<Record<string, string>>;

const PARAMETER = /:([a-z]\w+)/g;

const ROLES = ["viewer", "editor", "owner"] as const;

let database: TestDatabase<ObservabilitySchema>;
let otlp: OtlpRig;
let mine: World;
let theirs: World;
/** Of the same tenant as `mine`, and closed to those who are no members. */
let siblings: World;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  otlp = await createOtlpRig(database);
  mine = await furnish(otlp.rig.projectId, "tenant-1");
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-2", name: "their-secret-name" });
  theirs = await furnish(projectId, "tenant-2");
  siblings = await furnishClosed();
});
afterAll(async () => {
  await otlp.close();
  await database.drop();
});

/** Who asks for what is not theirs: an admin for another tenant's, the owner of one project for another of the same tenant. */
const strangers = () => [
  { token: "tenant-1:admin", theirs, name: "their-secret-name" },
  { token: "tenant-1:member:ann", theirs: siblings, name: "sibling-secret-name" },
];

test("what a route names of somebody else's project is not there, whatever it would do, in the same words as what is nowhere", async () => {
  await addMember(mine, "ann", "owner");
  for (const { token, theirs: other } of strangers()) {
    const before = await rowsOf(other["project_id"] ?? "");
    const nowhere = Object.fromEntries(Object.keys(other).map((name) => [name, uuidv7()]));
    for (const route of naming()) {
      const [found, missing] = [await call(route, other, token), await call(route, nowhere, token)];
      expect(found.statusCode, nameOf(route)).toBe(404);
      expect(found.json(), nameOf(route)).toEqual(missing.json());
      // Nor below a project of one's own; only people are no project's.
      const nested = { ...other, project_id: mine["project_id"] ?? "" };
      const isNested = /:project_id.*:(?!user_id)/.test(route.url);
      expect((await call(route, isNested ? nested : nowhere, token)).statusCode, nameOf(route)).toBe(404);
    }
    expect(await rowsOf(other["project_id"] ?? "")).toEqual(before);
  }
});

test("what a route lists holds nothing of somebody else's project, asked for by its ids or not", async () => {
  const lists = otlp.api.routes.filter(
    ({ method, url, auth }) => method === "GET" && !["public", "ingest", "admin-or-operator"].includes(auth) && !url.includes(":"),
  );
  expect(lists.length).toBeGreaterThan(2);
  for (const { token, theirs: other, name } of strangers()) {
    for (const route of lists) {
      for (const query of ["", `?project_id=${other["project_id"]}`, `?project_id=${other["project_id"]}&state=all`]) {
        const { statusCode, body } = await call(route, other, token, query);
        expect(statusCode === 200 || statusCode === 400, `${nameOf(route)} ${statusCode}`).toBe(true);
        for (const secret of [...Object.values(other), name]) {
          expect(body, nameOf(route)).not.toContain(secret);
        }
      }
    }
  }
});

test("members do what their role allows, and are told which role they lack for the rest", async () => {
  const routes = guarded().filter(({ auth }) => auth !== "ingest" && auth !== "admin-or-operator");
  expect(routes.map(nameOf).toSorted()).toEqual(Object.keys(NEEDED).toSorted());
  const world = await furnishClosed();
  for (const role of ROLES) {
    await addMember(world, role, role);
  }
  for (const route of routes) {
    const needed = NEEDED[nameOf(route)] ?? "none";
    for (const role of needed === "none" ? [] : ROLES) {
      const { statusCode, body } = await call(route, world, `tenant-1:member:${role}`);
      const isEnough = ROLES.indexOf(role) >= ROLES.findIndex((each) => each === needed);
      expect({
        role,
        name: nameOf(route),
        isRefused: statusCode === 403 && body.includes(`"${needed}"`),
        isFound: !body.includes("project_not_found"),
      }).toEqual({
        role,
        name: nameOf(route),
        isRefused: !isEnough,
        isFound: true,
      });
    }
  }
});

test("the operator opens what is for the operator, a member nothing that is for admins", async () => {
  for (const route of guarded()) {
    const [member, operator] = [await call(route, siblings, "tenant-1:member"), await call(route, theirs, API_KEY)];
    expect(operator.statusCode === 401, `${nameOf(route)} ${operator.statusCode}`).toBe(!route.auth.endsWith("-or-operator"));
    expect(member.body.includes("admin_only"), `${nameOf(route)} ${member.statusCode}`).toBe(route.auth === "admin-or-operator");
  }
});

test("a project's keys open what their scope names, of that project, and nothing when they are revoked", async () => {
  const url = `/api/v1/projects/${otlp.rig.projectId}/keys`;
  const [read, ingest, evaluate, revoked] = [
    await otlp.makeKey(["read"]),
    await otlp.makeKey(["ingest"]),
    await otlp.makeKey(["evaluate"]),
    await otlp.makeKey(["read", "ingest", "evaluate"]),
  ];
  const removed = await otlp.api.server.inject({
    method: "DELETE",
    url: `${url}/${revoked.id}`,
    headers: { authorization: "Bearer tenant-1:admin" },
  });
  expect(removed.statusCode).toBe(200);
  const opened = {
    "user-or-key": [200, 403],
    ingest: [403, 200],
    "user-or-evaluate": [403, 403],
    "user-or-scoring-key": [403, 403],
    "user-or-prompts": [403, 403],
  } as Readonly<Record<string, readonly [number, number]>>;
  for (const route of guarded()) {
    const [byRead, byIngest] = opened[route.auth] ?? [401, 401];
    for (const [key, status] of [
      [read.key, byRead],
      [ingest.key, LANGFUSE[nameOf(route)] ?? byIngest],
      [revoked.key, 401],
      ["tenant-1:admin", route.auth === "ingest" ? 401 : undefined],
    ] as const) {
      const { statusCode } = await call(route, mine, key);
      expect(status ?? statusCode, `${nameOf(route)} ${key.slice(0, 16)}`).toBe(statusCode);
    }
    const [own, others] = [await call(route, mine, evaluate.key), await call(route, theirs, evaluate.key)];
    const isEvaluated = route.auth === "user-or-evaluate" || route.auth === "user-or-prompts";
    expect([401, 403].includes(own.statusCode), nameOf(route)).toBe(!isEvaluated);
    expect(others.statusCode, nameOf(route)).toBe(isEvaluated ? 404 : own.statusCode);
    // Nor does a key that may read open another project, whatever its tenant.
    expect((await call(route, theirs, read.key)).statusCode, nameOf(route)).toBe(route.auth === "user-or-key" ? 404 : byRead);
  }
});

/** What deletes a whole project comes last. */
function guarded(): readonly ServedRoute[] {
  const isLast = ({ method, url }: ServedRoute) => Number(method === "DELETE" && url.endsWith("/:project_id"));
  return otlp.api.routes.filter(({ auth }) => auth !== "public").toSorted((left, right) => isLast(left) - isLast(right));
}

function naming(): readonly ServedRoute[] {
  const routes = guarded().filter(({ url }) => url.includes(":"));
  expect(routes.length).toBeGreaterThan(15);
  return routes;
}

async function call(route: ServedRoute, world: World, token: string, query = QUERIES[nameOf(route)] ?? "") {
  const url = `${route.url}${query}`.replaceAll(PARAMETER, (_all, name: string) => {
    const id = world[name];
    if (id === undefined) {
      throw new Error(`furnish() must make what ${route.url} calls ${name}`);
    }
    return id;
  });
  const payload = BODIES[nameOf(route)];
  const request = {
    method: route.method,
    url,
    headers: { authorization: `Bearer ${token}` },
    ...(payload === undefined ? {} : { payload }),
  };
  return route.url.endsWith("/live") ? openStream(request) : otlp.api.server.inject(request);
}

/** A stream that is open ends when nobody reads it any more; one that is refused is an answer like any other. */
async function openStream(request: {
  readonly method: ServedRoute["method"];
  readonly url: string;
  readonly headers: Record<string, string>;
}) {
  const answer = await otlp.api.server.inject({ ...request, payloadAsStream: true });
  const { statusCode } = answer;
  const body = statusCode === 200 ? "{}" : await text(answer.stream());
  answer.stream().destroy();
  return { statusCode, body, json: (): unknown => JSON.parse(body) };
}

function nameOf({ method, url }: ServedRoute): string {
  return `${method} ${url}`;
}

/** A project that only its members see. */
async function furnishClosed(): Promise<World> {
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-1", name: "sibling-secret-name", ownerId: uuidv7() });
  return furnish(projectId, "tenant-1");
}

async function addMember(world: World, userId: string, role: ProjectRole): Promise<void> {
  const row = { project_id: world["project_id"] ?? "", user_id: userId, role, added_by: "test" };
  await database.query.insertInto("observability.project_members").values(row).execute();
}

async function furnish(projectId: string, tenant: string): Promise<World> {
  const [traceId, letterId, userId, sessionId, deletionId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const producer = createProducer(projectId);
  const events = agentRun(producer, traceId, `run of ${tenant}`);
  await writeEvents(database, [...events, ...exploredRun(producer, { name: `visit of ${tenant}`, session: sessionId, user: userId }, 0)]);
  const issueId = await furnishIssue(database, producer, projectId);
  const token = `${tenant}:admin`;
  const base = `/api/v1/projects/${projectId}`;
  const key = await otlp.api.post(`${base}/keys`, { name: "kept" }, token);
  const score = await otlp.api.post(`${base}/scores`, { trace_id: traceId, name: "kept", value: 1 }, token);
  await otlp.api.put(`${base}/prices`, { model: "kept", input: 1, output: 1, valid_from: "2026-01-01T00:00:00Z" }, token);
  await otlp.api.put(`${base}/score-configs`, { name: "kept-config" }, token);
  await otlp.api.put(`${base}/masking`, { keys: ["kept"], patterns: [] }, token);
  const view = await otlp.api.post(`${base}/views`, { name: "kept", shared: true }, token);
  const chart = await otlp.api.post(`${base}/charts`, { name: "kept", measure: "cost" }, token);
  const channel = await otlp.api.post(`${base}/alert-channels`, { name: "kept", kind: "webhook", url: "https://127.0.0.1:9/" }, token);
  const rule = await otlp.api.post(`${base}/alert-rules`, { name: "kept", metric: "errors", threshold: 1, window_minutes: 5 }, token);
  const dataset = await otlp.api.post(`${base}/datasets`, { name: "kept" }, token);
  await otlp.api.post(`${base}/datasets/${String(dataset.body["id"])}/items`, { items: [{ input: "kept" }] }, token);
  const pair = await furnishPair(otlp.api, base, token, String(dataset.body["id"]));
  const prompt = await otlp.api.post(`${base}/prompts`, { name: "kept", template: "kept", labels: ["production"] }, token);
  await otlp.api.patch(base, { is_sharing: true }, token);
  const link = await otlp.api.post(`${base}/traces/${traceId}/share-links`, {}, token);
  const about = { subject: "trace", within_id: traceId, subject_id: traceId, text: `comment of ${tenant}` };
  const comment = await otlp.api.post(`${base}/comments`, about, token);
  const judge = await furnishJudge(otlp.api, base, token);
  const queue = { name: "kept", scores: ["kept-config"], dataset_id: dataset.body["id"] };
  const queueId = String((await otlp.api.post(`${base}/annotation-queues`, queue, token)).body["id"]);
  await otlp.api.post(`${base}/annotation-queues/${queueId}/traces`, { traces: [{ trace_id: traceId }] }, token);
  await otlp.api.put(`${base}/members/${userId}`, { role: "editor" }, token);
  await database.pool.query(
    "insert into observability.dead_letters (id, stream, entry_id, project_id, reason, entry) values ($1, 's', $2, $3, 'unreadable', $4)",
    [letterId, letterId, projectId, JSON.stringify(events.slice(0, 1).flatMap(fieldsOf))],
  );
  await database.pool.query(
    "with gap as (insert into observability.ingest_gaps (project_id, producer_id, first_seq, last_seq) values ($1, gen_random_uuid(), 1, 2)) insert into observability.deletions (project_id, id, kind, requested_by, finished_at) values ($1, $2, 'traces', 'somebody', now())",
    [projectId, deletionId],
  );
  return {
    project_id: projectId,
    trace_id: traceId,
    observation_id: String(events[1]?.body !== undefined && "observation_id" in events[1].body ? events[1].body.observation_id : ""),
    payload_id: events[0]?.id ?? "",
    dead_letter_id: letterId,
    key_id: String(key.body["id"]),
    score_id: String(score.body["id"]),
    channel_id: String(channel.body["id"]),
    rule_id: String(rule.body["id"]),
    user_id: userId,
    session_id: sessionId,
    view_id: String(view.body["id"]),
    chart_id: String(chart.body["id"]),
    deletion_id: deletionId,
    dataset_id: String(dataset.body["id"]),
    prompt_id: String(prompt.body["prompt_id"]),
    issue_id: issueId,
    share_link_id: String(link.body["id"]),
    queue_id: queueId,
    comment_id: String(comment.body["id"]),
    ...judge,
    ...pair,
  };
}

async function rowsOf(projectId: string): Promise<unknown> {
  const rowsIn = async (table: string, key: string) =>
    (await database.pool.query(`select * from observability.${table} where ${key} = $1 order by 1, 2, 3`, [projectId])).rows;
  return [await rowsIn("projects", "id"), await Promise.all(TABLES.map((table) => rowsIn(table, "project_id")))];
}
