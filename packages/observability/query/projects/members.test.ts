import { createTestDatabase, type TestDatabase } from "@sightline/foundation/testing/test-database";
import { createTestRedis, type TestRedis } from "@sightline/foundation/testing/test-redis";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { memberPageSchema, projectPageSchema, projectSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { API_KEY, createApiRig, type ApiRig } from "#testing/api-rig.ts";
import { insertProject } from "#store/projects.store.ts";
import { MAX_MEMBERS } from "./members.store.ts";

let database: TestDatabase<ObservabilitySchema>;
let redis: TestRedis;
let api: ApiRig;
let project: string;
const [ann, bob] = [uuidv7(), uuidv7()];
const [asAnn, asBob, asAdmin] = [`tenant-1:member:${ann}`, `tenant-1:member:${bob}`, "tenant-1:admin"];

beforeAll(async () => {
  database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
  redis = await createTestRedis();
  api = await createApiRig({ database, redisUrl: redis.url, stream: `${redis.prefix}events`, heartbeatKey: `${redis.prefix}heartbeat` });
});
beforeEach(async () => {
  project = projectSchema.parse((await api.post("/api/v1/projects", { name: "Support" }, asAnn)).body).id;
});
afterAll(async () => {
  await api.close();
  await redis.close();
  await database.drop();
});

describe("a new project", () => {
  test("is seen by who made it, its owner, and by admins, until somebody is added", async () => {
    expect(await roleOf(asAnn)).toBe("owner");
    expect(await roleOf(asAdmin)).toBe("owner");
    expect(await roleOf(asBob)).toBeUndefined();
    await put(bob, "viewer", asAnn);
    expect(await roleOf(asBob)).toBe("viewer");
    expect(await members(asBob)).toEqual([
      { user_id: bob, role: "viewer", added_by: ann },
      { user_id: ann, role: "owner", added_by: ann },
    ]);
  });

  test("is not seen by the same account's id under another tenant", async () => {
    expect(await roleOf(`tenant-2:member:${ann}`)).toBeUndefined();
    await put(bob, "owner", asAnn);
    expect(await roleOf(`tenant-2:member:${bob}`)).toBeUndefined();
  });

  test("that is opened to the tenant has everybody as an editor, and its owners as they were", async () => {
    await put(bob, "viewer", asAnn);
    expect(await api.patch(url(), { access: "tenant" }, asAnn)).toMatchObject({ status: 200, body: { access: "tenant" } });
    expect(await roleOf(`tenant-1:member:${uuidv7()}`)).toBe("editor");
    expect(await roleOf(asBob)).toBe("editor");
    expect(await roleOf(asAnn)).toBe("owner");
    await api.patch(url(), { access: "members" }, asAnn);
    expect(await roleOf(asBob)).toBe("viewer");
  });

  test("is in the lists of those only who see it", async () => {
    const listed = async (token: string) =>
      projectPageSchema.parse((await api.get("/api/v1/projects", token)).body).items.some(({ id }) => id === project);
    expect([await listed(asAnn), await listed(asBob), await listed("tenant-1:member"), await listed(asAdmin)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});

describe("members", () => {
  test("get another role without being added anew, and are removed, by owners", async () => {
    await put(bob, "viewer", asAnn);
    const before = await members(asAnn);
    await put(bob, "owner", asAnn);
    expect(await members(asAnn)).toEqual(before.map((member) => (member.user_id === bob ? { ...member, role: "owner" } : member)));
    expect(await remove(ann, asBob)).toMatchObject({ status: 204 });
    expect(await roleOf(asAnn)).toBeUndefined();
  });

  test("leave by themselves, but remove nobody else", async () => {
    await put(bob, "viewer", asAnn);
    expect(await remove(ann, asBob)).toMatchObject({ status: 403, error: "role_missing" });
    expect(await remove(bob, asBob)).toMatchObject({ status: 204 });
    expect(await roleOf(asBob)).toBeUndefined();
  });

  test("can't leave a project without an owner, nor become less; an admin can do both", async () => {
    await put(bob, "editor", asAnn);
    expect(await remove(ann, asAnn)).toMatchObject({ status: 409, error: "last_owner" });
    expect(await put(ann, "editor", asAnn)).toMatchObject({ status: 409, body: { error: "last_owner" } });
    expect(await put(ann, "owner", asAnn)).toMatchObject({ status: 204 });
    expect(await put(ann, "viewer", asAdmin)).toMatchObject({ status: 204 });
    expect(await remove(ann, API_KEY)).toMatchObject({ status: 204 });
    expect(await roleOf(asAdmin)).toBe("owner");
  });

  test("that are both owners and leave at the same moment leave one of them behind", async () => {
    await put(bob, "owner", asAnn);
    const answers = await Promise.all([remove(ann, asAnn), remove(bob, asBob)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 409]));
    expect(await members(asAdmin)).toHaveLength(1);
  });

  test("are listed page by page", async () => {
    await put(bob, "viewer", asAnn);
    const first = memberPageSchema.parse((await api.get(`${url()}/members?limit=1`, asAnn)).body);
    const second = memberPageSchema.parse((await api.get(`${url()}/members?limit=1&cursor=${first.next_cursor}`, asAnn)).body);
    expect([...first.items, ...second.items].map(({ user_id: id }) => id)).toEqual([bob, ann]);
    expect(second.next_cursor).toBeNull();
  });

  test(`are ${MAX_MEMBERS} at the most`, async () => {
    await database.pool.query(
      `insert into observability.project_members (project_id, user_id, role, added_by)
       select $1, gen_random_uuid()::text, 'viewer', 'test' from generate_series(1, $2)`,
      [project, MAX_MEMBERS - 1],
    );
    expect(await put(bob, "viewer", asAnn)).toMatchObject({ status: 409, body: { error: "too_many_members" } });
    expect(await put(ann, "owner", asAnn)).toMatchObject({ status: 204 });
  });

  test.each([
    ["x' or true", "viewer"],
    [uuidv7(), "admin"],
  ])("are not made of %s as %s", async (id, role) => {
    expect((await api.put(`${url()}/members/${encodeURIComponent(id)}`, { role }, asAnn)).status).toBe(400);
  });
});

test("a project from before there were members is open to its tenant, and its admins own it", async () => {
  project = uuidv7();
  await insertProject(database.query, { id: project, tenantId: "tenant-1", name: "old" });
  expect(await roleOf(asBob)).toBe("editor");
  expect(await put(bob, "owner", asBob)).toMatchObject({ status: 403, body: { error: "role_missing" } });
  expect(await put(bob, "owner", asAdmin)).toMatchObject({ status: 204 });
  expect(await roleOf(asBob)).toBe("owner");
});

function url(): string {
  return `/api/v1/projects/${project}`;
}

async function roleOf(token: string): Promise<unknown> {
  const { status, body } = await api.get(url(), token);
  return status === 404 ? undefined : body["my_role"];
}

function put(userId: string, role: string, token: string) {
  return api.put(`${url()}/members/${userId}`, { role }, token);
}

async function remove(userId: string, token: string): Promise<{ readonly status: number; readonly error?: unknown }> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await api.server.inject({ method: "DELETE", url: `${url()}/members/${userId}`, headers });
  return { status: answer.statusCode, ...(answer.body === "" ? {} : { error: answer.json<{ error: unknown }>().error }) };
}

async function members(token: string) {
  const { items } = memberPageSchema.parse((await api.get(`${url()}/members`, token)).body);
  return items.map(({ added_at: _addedAt, ...member }) => member);
}
