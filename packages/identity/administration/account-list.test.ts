import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Accounts } from "#contract.ts";
import { ask, createAdmin, type Person } from "#testing/administration.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";

let subject: IdentityFixture;
let ada: Person;

beforeAll(async () => {
  subject = await createIdentityFixture();
  ada = await createAdmin(subject, "ada@example.org");
  await insert("Carla 100%", "carla@example.org");
  await insert("Dora", "Dora_1@example.org", "admin");
  await insert("Eve", "eve@example.org");
  await insert("Fay\\", "fay@example.org");
  const other = await subject.identity.ensureTenant("acme");
  await insert("Elsewhere", "elsewhere@example.org", "admin", other.id);
});

afterAll(() => subject.close());

async function insert(name: string, email: string, role: "admin" | "member" = "member", tenantId?: string): Promise<void> {
  const { query } = subject.database;
  const { tenant_id: own } = await query.selectFrom("identity.users").select("tenant_id").executeTakeFirstOrThrow();
  const now = subject.clock.now();
  await query
    .insertInto("identity.users")
    .values({
      id: crypto.randomUUID(),
      tenant_id: tenantId ?? own,
      email,
      folded_email: email.toLowerCase(),
      name,
      role,
      password_hash: "x",
      password_changed_at: now,
      must_change_password: false,
      created_at: now,
    })
    .execute();
}

async function list(parameters: Readonly<Record<string, string>> = {}): Promise<Accounts> {
  const answer = await ask(subject.server, ada, "GET", `/admin/users?${new URLSearchParams(parameters).toString()}`);
  expect(answer.statusCode).toBe(200);
  return answer.json<Accounts>();
}

async function addresses(parameters: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return (await list(parameters)).users.map(({ email }) => email);
}

describe("GET /admin/users", () => {
  test("shows the accounts of one's own tenant by address", async () => {
    const { users, next_cursor: cursor } = await list();

    expect(users.map(({ email }) => email)).toEqual([
      "ada@example.org",
      "carla@example.org",
      "Dora_1@example.org",
      "eve@example.org",
      "fay@example.org",
    ]);
    expect(cursor).toBeNull();
    expect(JSON.stringify(users)).not.toMatch(/hash|secret|argon/);
  });

  test.each([
    { search: "EVE", found: ["eve@example.org"] },
    { search: "  carla@ ", found: ["carla@example.org"] },
    { search: "%", found: ["carla@example.org"] },
    { search: "_", found: ["Dora_1@example.org"] },
    { search: "\\", found: ["fay@example.org"] },
    { search: "' or true --", found: [] },
    { search: "e\0e", found: [] },
    { search: "elsewhere", found: [] },
    { search: "", found: ["ada@example.org", "carla@example.org", "Dora_1@example.org", "eve@example.org", "fay@example.org"] },
  ])("a search for $search finds it in names and addresses, letter by letter", async ({ search, found }) => {
    expect(await addresses({ search })).toEqual(found);
  });

  test("a role keeps those who have it", async () => {
    expect(await addresses({ role: "admin" })).toEqual(["ada@example.org", "Dora_1@example.org"]);
    expect(await addresses({ role: "member", search: "e" })).toEqual(["carla@example.org", "eve@example.org", "fay@example.org"]);
  });

  test("pages neither repeat nor skip anyone while accounts come and go", async () => {
    const before = await addresses({});
    const seen: string[] = [];
    let cursor: string | null = null;
    let round = 0;
    do {
      const page: Accounts = await list({ limit: "2", ...(cursor === null ? {} : { cursor }) });
      expect(page.users.length).toBeLessThanOrEqual(2);
      seen.push(...page.users.map(({ email }) => email));
      cursor = page.next_cursor;
      // One before all that was shown, and the very account that the cursor stands at goes.
      await insert("New", `aaa-${round}@example.org`);
      if (round === 0) {
        await subject.database.query.deleteFrom("identity.users").where("email", "=", "carla@example.org").execute();
      }
      round += 1;
    } while (cursor !== null);

    expect(seen).toEqual(before);
  });

  test.each(["nonsense", Buffer.from("{}").toString("base64url"), Buffer.from('["a","b"]').toString("base64url"), "\0"])(
    "the cursor %j is refused",
    async (cursor) => {
      const answer = await ask(subject.server, ada, "GET", `/admin/users?cursor=${encodeURIComponent(cursor)}`);

      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ error: "invalid_cursor" });
    },
  );

  test.each(["limit=0", "limit=201", "limit=x", "role=owner", `search=${"x".repeat(201)}`])("%s is refused", async (parameters) => {
    expect((await ask(subject.server, ada, "GET", `/admin/users?${parameters}`)).statusCode).toBe(400);
  });

  test("a cursor made by hand shows nothing of another tenant", async () => {
    const cursor = Buffer.from(JSON.stringify(["elsewhere@example.orf"])).toString("base64url");

    expect(await addresses({ cursor })).not.toContain("elsewhere@example.org");
    const strange = Buffer.from(JSON.stringify(["\0"])).toString("base64url");
    expect((await ask(subject.server, ada, "GET", `/admin/users?cursor=${strange}`)).statusCode).toBe(200);
  });
});
