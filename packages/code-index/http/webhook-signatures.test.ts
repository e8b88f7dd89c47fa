import { createHmac } from "node:crypto";
import { systemClock } from "@sightline/foundation/clock";
import { expect, test } from "vitest";
import { fromGithub, githubPush, useWebhookServer } from "#testing/use-webhook-server.ts";
import { addRepository, commitOf, createWebhookServer, hmac, SERVER_SECRET } from "#testing/webhook-server.ts";

const { database, server, post, deliver, jobs, refs, expectNoTrace } = useWebhookServer();

test("a repository with a secret of its own is opened by that one only", async () => {
  await addRepository(database(), { secret: "the-repository's-own" });
  expect(await deliver(githubPush(), { secret: SERVER_SECRET })).toMatchObject({ status: 401, body: { error: "auth_failed" } });
  await expectNoTrace();
  expect(await deliver(githubPush(), { secret: "the-repository's-own" })).toMatchObject({ status: 202, body: { status: "accepted" } });
});

test("a repository's own secret works on a server that has none", async () => {
  const bare = await createWebhookServer(database(), { secret: null, clock: systemClock });
  await addRepository(database(), { secret: "the-repository's-own" });
  const body = githubPush();
  expect(await post(body, fromGithub(body, { secret: "the-repository's-own" }), bare)).toMatchObject({ status: 202 });
  await bare.close();
});

test("of two tenants with the same repository only the one whose secret signed is told; the server's secret tells those without", async () => {
  const mine = await addRepository(database(), { secret: "the-secret-of-one", tenantId: "one" });
  const theirs = await addRepository(database(), { tenantId: "two" });
  expect(await deliver(githubPush(), { secret: "the-secret-of-one" })).toMatchObject({ body: { jobs: [expect.any(String)] } });
  expect((await jobs()).map((job) => job.repo_id)).toEqual([mine]);
  expect(await deliver(githubPush())).toMatchObject({ body: { jobs: [expect.any(String)] } });
  expect((await jobs()).map((job) => job.repo_id).toSorted()).toEqual([mine, theirs].toSorted());
});

test("a repository's secret opens no other repository", async () => {
  await addRepository(database(), { secret: "the-secret-of-shop" });
  await addRepository(database(), { fullName: "acme/bank", secret: "the-secret-of-bank" });
  await addRepository(database(), { fullName: "acme/plain" });
  for (const name of ["acme/bank", "acme/plain", "acme/unknown"]) {
    // The other's name is in the body too, so its secret is tried.
    const body = githubPush({ decoy: { full_name: "acme/shop" } }, { full_name: name, clone_url: null });
    expect(await deliver(body, { secret: "the-secret-of-shop" })).toMatchObject({ status: 401 });
  }
  await expectNoTrace();
});

test("of a large delivery no more secrets are tried than can be in a moment", async () => {
  for (let number = 0; number < 15; number++) {
    await addRepository(database(), {
      fullName: `acme/r${number}`,
      cloneUrl: "https://example.org/acme/shop.git",
      secret: `secret-${number}`,
    });
  }
  const large = githubPush({ commits: "x".repeat(20 * 1024 * 1024) });
  expect(await deliver(large, { secret: "secret-0" })).toMatchObject({ status: 202 });
  expect(await deliver(large, { secret: "secret-14" })).toMatchObject({ status: 401 });
  expect(await deliver(githubPush(), { secret: "secret-14" })).toMatchObject({ status: 202 });
});

test("a secret moved to another repository's row opens nothing", async () => {
  const from = await addRepository(database(), { fullName: "acme/from", secret: "the-secret-of-from" });
  const to = await addRepository(database());
  const { sealed_webhook_secret: sealed } = await database()
    .query.selectFrom("codeindex.repositories")
    .selectAll()
    .where("id", "=", from)
    .executeTakeFirstOrThrow();
  await database().query.updateTable("codeindex.repositories").set({ sealed_webhook_secret: sealed }).where("id", "=", to).execute();
  expect(await deliver(githubPush(), { secret: "the-secret-of-from" })).toMatchObject({ status: 401 });
});

test("a repository or tenant that is being deleted is not told", async () => {
  const id = await addRepository(database());
  await database().query.updateTable("codeindex.repositories").set({ deleting_at: new Date() }).where("id", "=", id).execute();
  expect(await deliver(githubPush())).toMatchObject({ status: 202, body: { status: "ignored" } });
  await expectNoTrace();
});

// Forged

const right = hmac(githubPush());

test.for([
  ["of another body", { "x-hub-signature-256": `sha256=${hmac(githubPush({ after: commitOf("c") }))}` }],
  ["of another secret", { "x-hub-signature-256": `sha256=${hmac(githubPush(), "another-secret-of-16")}` }],
  ["of an empty secret", { "x-hub-signature-256": `sha256=${hmac(githubPush(), "")}` }],
  ["cut short", { "x-hub-signature-256": `sha256=${right.slice(0, 62)}` }],
  ["too long", { "x-hub-signature-256": `sha256=${right}00` }],
  ["without its algorithm", { "x-hub-signature-256": right }],
  ["of another algorithm", { "x-hub-signature-256": `sha1=${createHmac("sha1", SERVER_SECRET).update(githubPush()).digest("hex")}` }],
  ["twice, one of them right", { "x-hub-signature-256": `sha256=${right}, sha256=${"0".repeat(64)}` }],
  ["in strange digits", { "x-hub-signature-256": `sha256=${"\u00b2".repeat(64)}` }],
  ["empty", { "x-hub-signature-256": "" }],
  ["missing", {}],
  ["another host's header", { "x-signature-256": `sha256=${right}` }],
  ["a token of GitLab's that is empty", { "x-gitlab-event": "Push Hook", "x-gitlab-token": "" }],
  ["a token of GitLab's that is cut short", { "x-gitlab-event": "Push Hook", "x-gitlab-token": SERVER_SECRET.slice(0, -1) }],
  ["a token of GitLab's with more behind it", { "x-gitlab-event": "Push Hook", "x-gitlab-token": `${SERVER_SECRET}0` }],
  [
    "Gitea's, wrong, beside GitHub's, right",
    { "x-gitea-event": "push", "x-gitea-signature": "0".repeat(64), "x-hub-signature-256": `sha256=${right}` },
  ],
] as const)("a signature %s is 401 auth_failed and changes nothing", async ([, headers]) => {
  await addRepository(database());
  expect(await post(githubPush(), { "x-github-event": "push", ...headers })).toMatchObject({ status: 401, body: { error: "auth_failed" } });
  await expectNoTrace();
  expect(await server().metrics.registry.getSingleMetricAsString("codeindex_webhook_deliveries_total")).toContain('outcome="refused"');
});

test("a signature's digits may be upper case: they say the same", async () => {
  await addRepository(database());
  const headers = { "x-github-event": "push", "x-hub-signature-256": `sha256=${right.toUpperCase()}` };
  expect(await post(githubPush(), headers)).toMatchObject({ status: 202 });
});

test("a body that is nobody's is refused without being parsed", async () => {
  const deep = "[".repeat(5_000_000);
  expect(await post(deep, fromGithub(deep, { secret: "another-secret-of-16" }))).toMatchObject({ status: 401 });
});

test("an old delivery that is sent again under another identifier does no more than look at the host again", async () => {
  await addRepository(database(), { branches: ["next"] });
  const old = githubPush({ ref: "refs/heads/next", deleted: true, after: commitOf("0") });
  await deliver(old);
  await deliver(old, { delivery: "another" });
  expect(await jobs()).toMatchObject([{ ref: "next", mode: "incremental" }]);
  expect((await refs()).map(({ name }) => name)).toEqual(["main"]);
});
