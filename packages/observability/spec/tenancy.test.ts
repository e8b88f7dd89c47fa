import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { insertProject } from "#store/projects.store.ts";
import { agentRun, createProducer, fieldsOf } from "#testing/agent-run.ts";
import { API_KEY, type ServedRoute } from "#testing/api-rig.ts";
import { jsonRequest, jsonSpan } from "#testing/otlp-request.ts";
import { createOtlpRig, type OtlpRig } from "#testing/otlp-rig.ts";
import { writeEvents } from "#testing/write-events.ts";

/** What a tenant has of everything that a route may name. */
type World = Readonly<Record<string, string>>;

/** For every route that takes one; a new route needs its own here. */
const BODIES: Readonly<Record<string, object>> = {
  "POST /api/v1/projects": { name: "new" },
  "PATCH /api/v1/projects/:project_id": { name: "changed", retention_days: 1 },
  "POST /api/v1/projects/:project_id/keys": { name: "new", scopes: ["read", "ingest"] },
  "PUT /api/v1/projects/:project_id/prices": { model: "changed", input: 1, output: 1 },
  "POST /api/v1/projects/:project_id/scores": { trace_id: uuidv7(), name: "changed", value: 1 },
  "PATCH /api/v1/dead-letters/:dead_letter_id": { fields: { v: "1" } },
  "POST /v1/traces": jsonRequest([jsonSpan("a".repeat(16), 0)]),
};
const QUERIES: Readonly<Record<string, string>> = {
  "DELETE /api/v1/projects/:project_id/prices": "?model=kept&valid_from=2026-01-01T00:00:00Z",
};
const PARAMETER = /:(\w+)/g;

let database: TestDatabase<ObservabilitySchema>;
let otlp: OtlpRig;
let mine: World;
let theirs: World;

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  otlp = await createOtlpRig(database);
  mine = await furnish(otlp.rig.projectId, "tenant-1");
  const projectId = uuidv7();
  await insertProject(database.query, { id: projectId, tenantId: "tenant-2", name: "their-secret-name" });
  theirs = await furnish(projectId, "tenant-2");
});
afterAll(async () => {
  await otlp.close();
  await database.drop();
});

test("what a route names of another tenant is not there, whatever it would do, in the same words as what is nowhere", async () => {
  const before = await rowsOf(theirs["project_id"] ?? "");
  const nowhere = Object.fromEntries(Object.keys(theirs).map((name) => [name, uuidv7()]));
  for (const route of naming()) {
    const [found, missing] = [await call(route, theirs, "tenant-1:admin"), await call(route, nowhere, "tenant-1:admin")];
    expect(found.statusCode, nameOf(route)).toBe(404);
    expect(found.json(), nameOf(route)).toEqual(missing.json());
    // Nor below a project of one's own.
    const nested = { ...theirs, project_id: mine["project_id"] ?? "" };
    const isNested = /:project_id.*:/.test(route.url);
    expect((await call(route, isNested ? nested : nowhere, "tenant-1:admin")).statusCode, nameOf(route)).toBe(404);
  }
  expect(await rowsOf(theirs["project_id"] ?? "")).toEqual(before);
});

test("what a route lists holds nothing of another tenant, asked for by its ids or not", async () => {
  const lists = otlp.api.routes.filter(({ method, url, auth }) => method === "GET" && auth !== "public" && !url.includes(":"));
  expect(lists.length).toBeGreaterThan(3);
  for (const route of lists) {
    for (const query of ["", `?project_id=${theirs["project_id"]}`, `?project_id=${theirs["project_id"]}&state=all`]) {
      const { statusCode, body } = await call(route, theirs, "tenant-1:admin", query);
      expect(statusCode === 200 || statusCode === 400, `${nameOf(route)} ${statusCode}`).toBe(true);
      for (const secret of [...Object.values(theirs), "their-secret-name"]) {
        expect(body, nameOf(route)).not.toContain(secret);
      }
    }
  }
});

test("a member is refused by what only admins and the operator may do, and the operator by what is for users", async () => {
  for (const route of guarded()) {
    const [member, operator] = [await call(route, mine, "tenant-1:member"), await call(route, theirs, API_KEY)];
    expect(member.statusCode === 403, `${nameOf(route)} ${member.statusCode}`).toBe(route.auth === "admin-or-operator");
    expect(operator.statusCode === 401, `${nameOf(route)} ${operator.statusCode}`).toBe(route.auth !== "admin-or-operator");
  }
});

test("a project's keys open what their scope names, of that project, and nothing when they are revoked", async () => {
  const url = `/api/v1/projects/${otlp.rig.projectId}/keys`;
  const [read, ingest, revoked] = [await otlp.makeKey(["read"]), await otlp.makeKey(["ingest"]), await otlp.makeKey(["read", "ingest"])];
  const removed = await otlp.api.server.inject({
    method: "DELETE",
    url: `${url}/${revoked.id}`,
    headers: { authorization: "Bearer tenant-1:admin" },
  });
  expect(removed.statusCode).toBe(200);
  const opened = { "user-or-key": [200, 403], ingest: [403, 200] } as Readonly<Record<string, readonly [number, number]>>;
  for (const route of guarded()) {
    const [byRead, byIngest] = opened[route.auth] ?? [401, 401];
    for (const [key, status] of [
      [read.key, byRead],
      [ingest.key, byIngest],
      [revoked.key, 401],
      ["tenant-1:admin", route.auth === "ingest" ? 401 : undefined],
    ] as const) {
      const { statusCode } = await call(route, mine, key);
      expect(status ?? statusCode, `${nameOf(route)} ${key.slice(0, 16)}`).toBe(statusCode);
    }
    // Nor does a key that may read open another project, whatever its tenant.
    expect((await call(route, theirs, read.key)).statusCode, nameOf(route)).toBe(route.auth === "user-or-key" ? 404 : byRead);
  }
});

function guarded(): readonly ServedRoute[] {
  return otlp.api.routes.filter(({ auth }) => auth !== "public");
}

function naming(): readonly ServedRoute[] {
  const routes = guarded().filter(({ url }) => url.includes(":"));
  expect(routes.length).toBeGreaterThan(15);
  return routes;
}

async function call(route: ServedRoute, world: World, token: string, query = QUERIES[nameOf(route)] ?? "") {
  const url = route.url.replaceAll(PARAMETER, (_all, name: string) => {
    const id = world[name];
    if (id === undefined) {
      throw new Error(`furnish() must make what ${route.url} calls ${name}`);
    }
    return id;
  });
  const payload = BODIES[nameOf(route)];
  return otlp.api.server.inject({
    method: route.method,
    url: `${url}${query}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload === undefined ? {} : { payload }),
  });
}

function nameOf({ method, url }: ServedRoute): string {
  return `${method} ${url}`;
}

async function furnish(projectId: string, tenant: string): Promise<World> {
  const [traceId, letterId] = [uuidv7(), uuidv7()];
  const events = agentRun(createProducer(projectId), traceId, `run of ${tenant}`);
  await writeEvents(database, events);
  const token = `${tenant}:admin`;
  const base = `/api/v1/projects/${projectId}`;
  const key = await otlp.api.post(`${base}/keys`, { name: "kept" }, token);
  const score = await otlp.api.post(`${base}/scores`, { trace_id: traceId, name: "kept", value: 1 }, token);
  await otlp.api.put(`${base}/prices`, { model: "kept", input: 1, output: 1, valid_from: "2026-01-01T00:00:00Z" }, token);
  await database.pool.query(
    "insert into observability.dead_letters (id, stream, entry_id, project_id, reason, entry) values ($1, 's', $2, $3, 'unreadable', $4)",
    [letterId, letterId, projectId, JSON.stringify(events.slice(0, 1).flatMap(fieldsOf))],
  );
  await database.pool.query(
    "insert into observability.ingest_gaps (project_id, producer_id, first_seq, last_seq) values ($1, gen_random_uuid(), 1, 2)",
    [projectId],
  );
  return {
    project_id: projectId,
    trace_id: traceId,
    dead_letter_id: letterId,
    key_id: String(key.body["id"]),
    score_id: String(score.body["id"]),
  };
}

async function rowsOf(projectId: string): Promise<unknown> {
  const rows: unknown[] = [];
  for (const table of ["traces", "scores", "prices", "api_keys", "dead_letters", "ingest_gaps", "observations"]) {
    rows.push((await database.pool.query(`select * from observability.${table} where project_id = $1 order by 1, 2, 3`, [projectId])).rows);
  }
  return [(await database.pool.query("select * from observability.projects where id = $1", [projectId])).rows, rows];
}
