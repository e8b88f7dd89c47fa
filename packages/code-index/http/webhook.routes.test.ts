import { systemClock } from "@sightline/foundation/clock";
import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { fromGithub, githubPush, useWebhookServer } from "#testing/use-webhook-server.ts";
import { addRepository, commitOf, createWebhookServer, hmac } from "#testing/webhook-server.ts";

const { database, server, post, deliver, jobs, deliveries, refs, expectNoTrace } = useWebhookServer();

const genericPush = JSON.stringify({ full_name: "acme/shop", ref: "refs/heads/main", before: commitOf("a"), after: commitOf("b") });

test.for([
  ["a repository nobody registered", githubPush({}, { full_name: "acme/other", clone_url: null }), "push"],
  ["an issue", "{}", "issues"],
  ["an issue that is no JSON", "{", "issues"],
] as const)("%s is ignored and leaves nothing", async ([, body, event]) => {
  await addRepository(database());
  expect(await deliver(body, { event })).toMatchObject({ status: 202, body: { status: "ignored", jobs: [] } });
  await expectNoTrace();
});

test.for([
  ["a branch that is not indexed", githubPush({ ref: "refs/heads/feature" }), "feature is not among"],
  ["a tag", githubPush({ ref: "refs/tags/v1" }), "tags are not indexed"],
  ["the default branch's deletion", githubPush({ deleted: true, after: commitOf("0") }), "main is the default branch"],
] as const)("%s is ignored, with a reason in the ledger", async ([, body, reason]) => {
  await addRepository(database());
  expect(await deliver(body)).toMatchObject({ status: 202, body: { status: "ignored" } });
  expect(await jobs()).toEqual([]);
  expect(await deliveries()).toMatchObject([{ status: "ignored", reason: expect.stringContaining(reason) }]);
});

test("a ping is answered", async () => {
  expect(await deliver("{}", { event: "ping" })).toMatchObject({ status: 200, body: { status: "pong" } });
});

test("a push to a repository of which no index was asked for yet starts none", async () => {
  const id = await addRepository(database());
  await database().query.updateTable("codeindex.repositories").set({ index_status: "pending" }).where("id", "=", id).execute();
  expect(await deliver(githubPush())).toMatchObject({ body: { status: "ignored", message: expect.stringContaining("not asked for") } });
  expect(await jobs()).toEqual([]);
});

// Once

test("the same delivery ten times, at once to two replicas, makes one job and one row", needsRealPostgres, async () => {
  await addRepository(database());
  const other = await createWebhookServer(database(), { clock: systemClock });
  const body = githubPush();
  const headers = fromGithub(body);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => post(body, headers, index % 2 === 0 ? server() : other)));
  const [job] = await jobs();
  expect(answers.map((answer) => answer.body.jobs)).toEqual(Array.from({ length: 10 }, () => [job?.job_id]));
  expect(answers.filter((answer) => answer.body.message.includes("taken before"))).toHaveLength(9);
  expect(await jobs()).toHaveLength(1);
  expect(await deliveries()).toHaveLength(1);
  expect((await refs())[0]).toMatchObject({ pushes_received: 1 });
  await other.close();
});

test("a delivery is known again when its job has ended long ago", async () => {
  await addRepository(database());
  const body = githubPush();
  const headers = fromGithub(body);
  await post(body, headers);
  await database().query.updateTable("codeindex.index_jobs").set({ status: "succeeded" }).execute();
  expect(await post(body, headers)).toMatchObject({
    status: 202,
    body: { status: "accepted", message: expect.stringContaining("taken before") },
  });
  expect(await jobs()).toHaveLength(1);
});

test("one identifier of two hosts, or for repositories of two tenants, is not one delivery", async () => {
  await addRepository(database());
  await addRepository(database(), { tenantId: "two" });
  const headers = { "x-delivery-id": "1", "x-signature-256": `sha256=${hmac(genericPush)}` };
  expect((await post(genericPush, headers)).body.jobs).toHaveLength(2);
  expect((await deliver(githubPush(), { delivery: "1" })).body.message).not.toContain("taken before");
  expect(await deliveries()).toHaveLength(4);
});

test("a delivery without an identifier counts each time it arrives, and folds into the job that waits", async () => {
  await addRepository(database());
  const headers = { "x-signature-256": `sha256=${hmac(genericPush)}` };
  const first = await post(genericPush, headers);
  expect(await post(genericPush, headers)).toMatchObject({ status: 202, body: { status: "accepted", jobs: first.body.jobs } });
  expect(await jobs()).toHaveLength(1);
  await sql`update codeindex.index_jobs set status = 'succeeded'`.execute(database().query);
  const later = await post(genericPush, headers);
  expect(later.body.message).not.toContain("taken before");
  expect(later.body.jobs).not.toEqual(first.body.jobs);
});

// Changes of the repository itself

test("another default branch is indexed, whoever tells of it", async () => {
  await addRepository(database());
  await deliver(githubPush({ ref: "refs/heads/trunk" }, { default_branch: "trunk" }));
  expect(await jobs()).toMatchObject([{ ref: null, requested_commit: commitOf("b") }]);
  expect(await refs()).toMatchObject([
    { name: "main", is_default: true },
    { name: "trunk", is_default: false, pushes_received: 1 },
  ]);
  const edited = JSON.stringify({ action: "edited", repository: { full_name: "acme/shop", default_branch: "trunk" }, changes: {} });
  expect(await deliver(edited, { event: "repository" })).toMatchObject({ body: { status: "accepted" } });
});

test("a rename is shown to the admin; where it is fetched from does not change", async () => {
  const id = await addRepository(database());
  const body = JSON.stringify({
    action: "renamed",
    repository: { full_name: "acme/store", default_branch: "main", clone_url: "https://evil.example/acme/store.git" },
    changes: { repository: { name: { from: "shop" } } },
  });
  const answer = await deliver(body, { event: "repository" });
  expect(answer).toMatchObject({ status: 202, body: { status: "ignored" } });
  // Hosts show answers to people who may not belong to every organization that registered it.
  expect(answer.body.message).not.toContain("example.org");
  const row = await database().query.selectFrom("codeindex.repositories").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  expect(row).toMatchObject({ full_name: "acme/shop", clone_url: "https://example.org/acme/shop.git" });
  expect(row.last_error).toContain("acme/store now");
  expect(await deliveries()).toMatchObject([{ reason: expect.stringContaining("change its clone_url") }]);
});

test("a force push and a push whose earlier ones were lost ask for the newest commit, like any other", async () => {
  await addRepository(database());
  await deliver(githubPush({ forced: true, before: commitOf("9"), after: commitOf("c") }));
  await deliver(githubPush({ before: commitOf("d"), after: commitOf("e") }));
  expect(await jobs()).toMatchObject([{ ref: null, mode: "incremental", requested_commit: commitOf("e") }]);
  expect(await refs()).toMatchObject([{ pushes_received: 2, head_commit: commitOf("e") }]);
});
