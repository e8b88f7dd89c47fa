import { randomUUID } from "node:crypto";
import { decodeJwt, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Workload } from "#contract.ts";
import { createStandings } from "#standing.ts";
import { ask, type Person } from "#testing/administration.ts";
import { createSsoAdmin } from "#testing/company-tenant.ts";
import { createIdentityFixture, type IdentityFixture } from "#testing/identity-fixture.ts";
import { startJobIssuer, type JobClaims, type JobIssuer } from "#testing/job-issuer.ts";

const REPOSITORY = "019b2c1e-0000-7000-8000-000000000001";
const PROJECT = "019b2c1e-0000-7000-8000-000000000002";
const GITHUB = {
  sub: "repo:acme/shop:ref:refs/heads/main",
  repository: "acme/shop",
  ref: "refs/heads/main",
  ref_type: "branch",
  head_ref: "",
  sha: "4f2a1bc0",
  actor: "ada",
};

let subject: IdentityFixture;
let issuer: JobIssuer;
let ada: Person;
let eve: Person;
let rule: Workload;
let replica: Awaited<ReturnType<IdentityFixture["replica"]>>;

beforeAll(async () => {
  issuer = await startJobIssuer();
  subject = await createIdentityFixture({ environment: { IDENTITY_ALLOW_PRIVATE_HOSTS: "127.0.0.1" } });
  replica = await subject.replica();
  ada = await createSsoAdmin(subject, "ada@acme.example", "acme");
  eve = await createSsoAdmin(subject, "eve@evil.example", "evil");
});

beforeEach(async () => {
  rule = await trust();
});

afterAll(async () => {
  await subject.close();
  await issuer.stop();
});

const wishes = (changes: object = {}) => ({
  issuer: issuer.issuer,
  subject: "repo:acme/shop:*",
  branches: null,
  repository_id: REPOSITORY,
  project_id: PROJECT,
  scopes: ["scip", "evaluate"],
  ...changes,
});
const add = (admin: Person, changes: object = {}) => ask(subject.server, admin, "POST", "/admin/workloads", wishes(changes));

async function trust(changes: object = {}, admin = ada): Promise<Workload> {
  const added = await add(admin, changes);
  expect(added.statusCode, added.body).toBe(201);
  return added.json<Workload>();
}

const idToken = (claims: JobClaims = {}, kid?: string) => issuer.sign({ aud: rule.audience, ...GITHUB, ...claims }, kid);

function exchange(token: string, { server }: Pick<IdentityFixture, "server"> = subject, changes: Readonly<Record<string, string>> = {}) {
  const payload = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    client_id: "sightline-workload",
    subject_token: token,
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    ...changes,
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return server.inject({ method: "POST", url: "/oauth/token", headers, payload });
}

const refused = (why: RegExp) => ({ error: "invalid_grant", error_description: expect.stringMatching(why) });

test("a job's ID token is exchanged for a quarter of an hour of what the rule says, and the audit has who, where and what", async () => {
  const answer = await exchange(await idToken());
  expect(answer.json()).toEqual({
    access_token: expect.any(String),
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: 900,
  });
  const claims = decodeJwt(answer.json<{ access_token: string }>().access_token);
  expect(claims).toMatchObject({ sub: rule.id, aud: "sightline-workload" });
  expect(claims["workload"]).toEqual({ repository: REPOSITORY, project: PROJECT, scopes: ["scip", "evaluate"], branch: "main" });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900);
  const rows = await subject.database.query.selectFrom("identity.audit").selectAll().where("event", "=", "token_issued").execute();
  expect(rows.at(-1)?.details).toEqual({
    workload: rule.id,
    subject: GITHUB.sub,
    repository: "acme/shop",
    ref: "refs/heads/main",
    sha: "4f2a1bc0",
    actor: "ada",
    jti: claims.jti,
  });
  const headers = { authorization: `Bearer ${answer.json<{ access_token: string }>().access_token}` };
  expect((await subject.server.inject({ url: "/login/me", headers })).statusCode).toBe(401);
});

test("GitLab's jobs and a cluster's pods are let in as well", async () => {
  rule = await trust({ subject: "project_path:acme/apps/shop:ref_type:branch:ref:*", branches: "release/*" });
  const gitlab = { sub: "project_path:acme/apps/shop:ref_type:branch:ref:release/2", project_path: "acme/apps/shop", ref: "release/2" };
  expect((await exchange(await issuer.sign({ aud: rule.audience, ...gitlab, ref_type: "branch", user_login: "bea" }))).statusCode).toBe(
    200,
  );
  rule = await trust({ subject: "system:serviceaccount:ci:gate" });
  const pod = await exchange(await issuer.sign({ aud: [rule.audience], sub: "system:serviceaccount:ci:gate" }));
  expect(decodeJwt(pod.json<{ access_token: string }>().access_token)["workload"]).not.toHaveProperty("branch");
});

describe("what opens nothing", () => {
  const now = Math.floor(Date.now() / 1000);
  test.each<[string, JobClaims, RegExp]>([
    ["another repository", { sub: "repo:acme/shop-evil:ref:refs/heads/main" }, /\(sub\)/],
    ["an audience of nobody", { aud: "https://sightline.example" }, /\(aud\)/],
    ["several audiences", { aud: ["https://github.com/acme", "x"] }, /\(aud\)/],
    ["an audience that is a number", { aud: 5 }, /\(aud\)/],
    ["an audience that is none", { aud: null }, /\(aud\)/],
    ["a branch of 600 letters", { ref: `refs/heads/${"x/".repeat(300)}` }, /\(ref\)/],
    ["a branch that is no text", { head_ref: 7 }, /\(ref\)/],
    ["another issuer", { iss: "https://token.actions.githubusercontent.com" }, /\(iss\)/],
    ["one that is over", { iat: now - 600, exp: now - 60 }, /\(exp\): it is over/],
    ["one that is not valid yet", { nbf: now + 300, exp: now + 600 }, /\(nbf\)/],
    ["one of the future", { iat: now + 300, exp: now + 600 }, /\(iat\)/],
    [
      "one that is more than an hour old",
      { iat: now - 3700, nbf: now - 3700, exp: now + 600 },
      /\(iat\): it is over, or more than an hour old/,
    ],
    ["no time of issue", { iat: undefined }, /\(iat\)/],
    ["no end", { exp: undefined }, /\(exp\)/],
  ])("%s", async (_what, claims, why) => {
    const answer = await exchange(await idToken(claims));
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject(refused(why));
  });

  test("no signature, the public key as a secret, a key that is not the issuer's, no token at all", async () => {
    const claims = { ...GITHUB, iss: issuer.issuer, aud: rule.audience, iat: now, exp: now + 300, jti: randomUUID() };
    const key = new TextEncoder().encode(JSON.stringify(await issuer.publicKey()));
    const other = await startJobIssuer();
    const forged = [
      new UnsecuredJWT(claims).encode(),
      await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(key),
      await other.sign(claims),
      "not.a.token",
      "x".repeat(20_000),
    ];
    await other.stop();
    for (const token of forged) {
      expect((await exchange(token)).json()).toMatchObject(refused(/opens nothing/));
    }
    expect((await exchange(await idToken(), subject, { client_id: "sightline-ci" })).json()).toMatchObject({ error: "invalid_client" });
    expect((await exchange(await idToken(), subject, { subject_token_type: "urn:x" })).json()).toMatchObject({ error: "invalid_request" });
  });

  test("one that was exchanged already, on either replica, also when both are asked at once", async () => {
    const token = await idToken();
    const both = await Promise.all([exchange(token), exchange(token, replica)]);
    expect(both.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other)).toEqual([200, 400]);
    expect((await exchange(token, replica)).json()).toMatchObject(refused(/\(jti\): it was exchanged already/));
    const jti = randomUUID();
    expect((await exchange(await idToken({ jti }))).statusCode).toBe(200);
    expect((await exchange(await idToken({ jti, sha: "another" }))).json()).toMatchObject(refused(/jti/));
    const unnamed = await idToken({ jti: undefined });
    expect((await exchange(unnamed)).statusCode).toBe(200);
    expect((await exchange(unnamed, replica)).statusCode).toBe(400);
  });

  test("other branches, tags, and pull requests that GitHub calls a branch, where the rule names branches", async () => {
    rule = await trust({ branches: "main" });
    const pull = { sub: "repo:acme/shop:pull_request", ref: "refs/pull/7/merge", head_ref: "main" };
    const target = { head_ref: "main", base_ref: "main" };
    const merge = { ref: "main", pipeline_source: "merge_request_event" };
    for (const claims of [
      target,
      merge,
      { ref: "refs/heads/main2" },
      { ref: "refs/tags/main", ref_type: "tag" },
      pull,
      { ref: undefined },
    ]) {
      expect((await exchange(await idToken(claims))).json()).toMatchObject(refused(/\(ref\)/));
    }
    expect((await exchange(await idToken())).statusCode).toBe(200);
  });
});

test.each([
  [{ ref: "refs/tags/main", ref_type: "tag" }, "refs/tags/main"],
  [{ ref: "main", ref_type: "tag" }, "refs/tags/main"],
  [{ ref: "refs/pull/7/merge", head_ref: "main", base_ref: "main" }, "refs/pull/7/merge"],
  [{ ref: "refs/heads/main", head_ref: "main", base_ref: "main" }, "refs/heads/main"],
  [{ ref: "refs/pull/7/merge", head_ref: "fix", base_ref: "main" }, "fix"],
])("what a job of %o makes is not main's", async (claims, branch) => {
  const { access_token: token } = (await exchange(await idToken(claims))).json<{ access_token: string }>();
  expect(decodeJwt(token)["workload"]).toMatchObject({ branch });
});

const UNPINNED =
  "* repo:* repo:acme/* repo:*/shop:* repo:acme/shop* repo:acme/shop: repo:acme/shop:*:* project_path:acme:* project_path:acme/*:ref_type:branch system:serviceaccount:*:gate system:serviceaccount:ci:* environment:prod";

test.each(UNPINNED.split(" "))("a rule for %s is refused, which says why", async (pattern) => {
  const answer = await add(ada, { subject: pattern });
  expect(answer.statusCode).toBe(400);
  expect(answer.body).toMatch(/every repository of the host would be let in/);
});

test.each([
  [{ repository_id: null }, /scip takes a repository/],
  [{ project_id: null }, /evaluate and read take a project/],
  [{ scopes: ["scip"] }, /evaluate and read take a project/],
  [{ branches: "*" }, /a branch/],
  [{ issuer: "javascript:alert(1)" }, /the address of the provider/],
])("a rule with %o is refused", async (changes, why) => {
  const { statusCode, body } = await add(ada, changes);
  expect([statusCode, body]).toEqual([400, expect.stringMatching(why)]);
});

test("an issuer's keys are fetched once, for an unknown key not within the minute, and from the operator's network only where that lets it", async () => {
  await exchange(await idToken());
  const before = { ...issuer.asked };
  await issuer.addKey("two");
  for (let at = 0; at < 5; at += 1) {
    expect((await exchange(await idToken({}, "two"))).json()).toMatchObject(refused(/signature/));
  }
  expect((await exchange(await idToken())).statusCode).toBe(200);
  expect(issuer.asked).toEqual(before);
  const guarded = await subject.replica({ environment: {} });
  expect((await exchange(await idToken(), guarded)).json()).toMatchObject({ error: "temporarily_unavailable" });
  expect(issuer.asked).toEqual(before);
});

test("an issuer that answers nonsense, or too much, is said to be unreachable, and not asked again within the minute", async () => {
  const odd = await startJobIssuer();
  rule = await trust({ issuer: odd.issuer });
  for (const text of ["not JSON", JSON.stringify({ issuer: odd.issuer, filler: "x".repeat(600_000) })]) {
    odd.answer(text);
    const { server } = await subject.replica();
    const token = await odd.sign({ aud: rule.audience, ...GITHUB });
    const { description } = odd.asked;
    for (let at = 0; at < 3; at += 1) {
      expect((await exchange(token, { server })).json()).toMatchObject({ error: "temporarily_unavailable" });
    }
    expect(odd.asked.description).toBe(description + 1);
  }
  await odd.stop();
});

test("keys that do not come are asked for once a minute", async () => {
  const odd = await startJobIssuer();
  odd.answerKeys("not JSON");
  rule = await trust({ issuer: odd.issuer });
  for (let at = 0; at < 3; at += 1) {
    expect((await exchange(await odd.sign({ aud: rule.audience, ...GITHUB }))).json()).toMatchObject({ error: "temporarily_unavailable" });
  }
  expect(odd.asked.keys).toBe(1);
  await odd.stop();
});

test("nobody sees or ends another organization's rule, and a rule of theirs gives nothing of it", async () => {
  const list = (admin: Person) => ask(subject.server, admin, "GET", "/admin/workloads");
  expect((await list(ada)).body).toContain(rule.id);
  expect((await list(eve)).json()).toEqual({ workloads: [] });
  expect((await ask(subject.server, eve, "DELETE", `/admin/workloads/${rule.id}`)).statusCode).toBe(404);
  const theirs = await trust({}, eve);
  const answer = await exchange(await issuer.sign({ aud: theirs.audience, ...GITHUB }));
  const tenant = await subject.database.query.selectFrom("identity.tenants").select("id").where("name", "=", "evil").executeTakeFirst();
  expect(decodeJwt(answer.json<{ access_token: string }>().access_token)["tid"]).toBe(tenant?.id);
});

test("a rule that is deleted, or whose maker is disabled or no admin any more, ends its tokens and makes none", async () => {
  const standingOf = (id: string) => createStandings(subject.database.query)(id);
  const maker = await createSsoAdmin(subject, "mia@acme.example", "acme");
  rule = await trust({}, maker);
  expect(await standingOf(rule.id)).toMatchObject({ isAdmin: false, hidden: [], projects: [] });
  const change = (values: object) => subject.database.query.updateTable("identity.users").set(values).where("id", "=", maker.id).execute();
  for (const [gone, back] of [
    [{ disabled_at: new Date() }, { disabled_at: null }],
    [{ role: "member" }, { role: "admin" }],
  ] as const) {
    await change(gone);
    expect(await standingOf(rule.id)).toBeUndefined();
    expect((await exchange(await idToken())).json()).toMatchObject(refused(/\(aud\)/));
    expect((await ask(subject.server, ada, "GET", "/admin/workloads")).json<{ workloads: Workload[] }>().workloads.at(-1)?.active).toBe(
      false,
    );
    await change(back);
    expect((await exchange(await idToken())).statusCode).toBe(200);
  }
  expect((await ask(subject.server, ada, "DELETE", `/admin/workloads/${rule.id}`)).statusCode).toBe(204);
  expect(await standingOf(rule.id)).toBeUndefined();
  expect((await exchange(await idToken())).statusCode).toBe(400);
});
