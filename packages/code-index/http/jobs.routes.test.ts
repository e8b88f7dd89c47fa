import { createHttpServer, type HttpServer } from "@sightline/foundation/http/http-server";
import { listening } from "@sightline/foundation/http/listening";
import type { Service } from "@sightline/foundation/lifecycle";
import { createMetrics } from "@sightline/foundation/http/metrics";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createDeveloperToken } from "#http/access/developer-tokens.store.ts";
import { claimJob } from "#store/records/claim-job.store.ts";
import { failJob, renewLease } from "#store/records/leases.store.ts";
import { createJobQueue, type JobQueue } from "#testing/job-queue.ts";
import { createTokenIssuer, type TokenIssuer } from "#testing/token-issuer.ts";
import { openStream, type OpenStream } from "#testing/event-stream.ts";
import { createAuthenticators } from "#http/access/authenticators.ts";
import { jobRoutes } from "./jobs.routes.ts";

let queue: JobQueue;
let issuer: TokenIssuer;
let server: HttpServer;
let http: Service;
let address: string;
let forwardMs: number;
let streams: OpenStream[];

const clock = { now: () => new Date(Date.now() + forwardMs) };

beforeAll(async () => {
  queue = await createJobQueue();
  issuer = await createTokenIssuer();
});

afterAll(async () => {
  await issuer.close();
  await queue.database.drop();
});

beforeEach(async () => {
  forwardMs = 0;
  streams = [];
  await queue.clear();
  server = await startServer();
  ({ http, address } = await listen(server));
});

afterEach(async () => {
  streams.forEach((stream) => stream.close());
  await http.stop();
});

async function startServer(): Promise<HttpServer> {
  const { database } = queue;
  const authenticators = createAuthenticators({ database, clock, accessTokens: issuer.verifier, mcpChallenge: "" });
  return createHttpServer({
    name: "test",
    title: "Test",
    version: "1",
    log: silentLog,
    metrics: createMetrics("test"),
    authenticators,
    routes: [jobRoutes({ database, clock, log: silentLog, reader: authenticators.reader })],
  });
}

/** As the product does it. */
async function listen(on: HttpServer): Promise<{ readonly http: Service; readonly address: string }> {
  const service = listening(on, { host: "127.0.0.1", port: 0, portVariable: "" });
  await service.start();
  return { http: service, address: on.listeningOrigin };
}

const as = (tid = "t1") => ({ authorization: `Bearer ${issuer.issue({ tid })}` });

async function watch(jobId: string, headers: Readonly<Record<string, string>> = as(), at = address): Promise<OpenStream> {
  const stream = await openStream(`${at}/api/v1/jobs/${jobId}/events`, headers);
  streams.push(stream);
  return stream;
}

async function takeJob() {
  const job = await claimJob(queue.database, { workerId: "w1", now: clock.now() });
  if (job === undefined) {
    throw new Error("nothing claimed");
  }
  return job;
}

test("a stream tells a job's state at once, its progress as it goes, and ends after the final state", async () => {
  const { job_id: jobId } = await queue.enqueue();
  const stream = await watch(jobId);
  expect(stream.status).toBe(200);
  expect(stream.headers.get("content-type")).toContain("text/event-stream");
  expect(await stream.next()).toMatchObject({ event: "job", id: expect.any(String), data: { job_id: jobId, status: "queued" } });
  const job = await takeJob();
  expect(await stream.next()).toMatchObject({ data: { status: "running", progress: { phase: "fetch", rate: null } } });
  const progress = { phase: "files", done: 10, total: 20, rate: 5 };
  await renewLease(queue.database, { ...job, now: clock.now(), progress });
  expect(await stream.next()).toMatchObject({ data: { status: "running", progress } });
  await failJob(queue.database, { ...job, now: clock.now(), reason: "no such repository", retry: false });
  expect(await stream.next()).toMatchObject({ data: { status: "failed", error_message: "no such repository" } });
  expect(await stream.next()).toBeUndefined();
});

test("whoever comes back gets only what is new, also from another replica, and 204 when nothing more can come", async () => {
  const { job_id: jobId } = await queue.enqueue();
  const first = await watch(jobId);
  const seen = await first.next();
  first.close();
  const other = await startServer();
  const { http: otherHttp, address: otherAddress } = await listen(other);
  const again = await watch(jobId, { ...as(), "last-event-id": seen?.id ?? "" }, otherAddress);
  const job = await takeJob();
  expect(await again.next()).toMatchObject({ data: { status: "running" } });
  await queue.succeed(job);
  const last = await again.next();
  expect(last).toMatchObject({ data: { status: "succeeded" } });
  expect((await watch(jobId, { ...as(), "last-event-id": last?.id ?? "" })).status).toBe(204);
  const stranger = await watch(jobId, { ...as(), "last-event-id": "\u{fc}nknown" });
  expect(await stranger.next()).toMatchObject({ id: last?.id });
  expect(await stranger.next()).toBeUndefined();
  await otherHttp.stop();
});

test("a quiet stream is kept alive by comments", async () => {
  const { job_id: jobId } = await queue.enqueue();
  const stream = await watch(jobId);
  await stream.next();
  const next = stream.next();
  forwardMs = 16_000;
  await vi.waitFor(() => expect(stream.comments).toContain("alive"), { timeout: 5_000 });
  stream.close();
  await expect(next).rejects.toThrow(/abort/i);
});

test("a stream ends when its token is revoked", async () => {
  const { token, row } = await createDeveloperToken(queue.database, { tenantId: "t1", label: "t", createdBy: "u", now: clock.now() });
  const { job_id: jobId } = await queue.enqueue();
  const stream = await watch(jobId, { authorization: `Bearer ${token}` });
  await stream.next();
  await queue.database.query.updateTable("codeindex.developer_tokens").set({ revoked_at: clock.now() }).where("id", "=", row.id).execute();
  forwardMs = 31_000;
  expect(await stream.next()).toMatchObject({ event: "refused", data: { error: "auth_failed" } });
  expect(await stream.next()).toBeUndefined();
});

test("a stream ends when its repository is gone", async () => {
  const { job_id: jobId } = await queue.enqueue();
  const stream = await watch(jobId);
  await stream.next();
  await queue.database.query.deleteFrom("codeindex.repositories").execute();
  expect(await stream.next()).toMatchObject({ event: "refused", data: { error: "job_not_found" } });
});

test("a server that stops ends its streams at once", async () => {
  const { job_id: jobId } = await queue.enqueue();
  const stream = await watch(jobId);
  await stream.next();
  const began = performance.now();
  await http.stop();
  expect(await stream.next()).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("a tenant has fifty streams at the most, and closing one makes room", async () => {
  const { job_id: jobId } = await queue.enqueue();
  const opened = await Promise.all(Array.from({ length: 50 }, () => watch(jobId)));
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await watch(jobId);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
  const other = await queue.register("t2");
  const theirs = await queue.enqueue({ tenantId: "t2", repoId: other.id });
  expect((await watch(theirs.job_id, as("t2"))).status).toBe(200);
  opened[0]?.close();
  await vi.waitFor(async () => expect((await watch(jobId)).status).toBe(200), { timeout: 5_000 });
});

test("many who watch are one question to the database", async () => {
  const { job_id: jobId } = await queue.enqueue();
  await Promise.all(Array.from({ length: 20 }, async () => (await watch(jobId)).next()));
  const asked = vi.spyOn(queue.database.pool, "connect");
  await takeJob();
  await Promise.all(streams.map((stream) => stream.next()));
  expect(asked.mock.calls.length).toBeLessThan(8);
});

test("nobody watches, sees, cancels or tries again a job of another tenant, nor one that does not exist", async () => {
  const { job_id: jobId } = await queue.enqueue();
  const unknown = "01900000-0000-7000-8000-000000000000";
  for (const [id, tenantId] of [
    [jobId, "t2"],
    [unknown, "t1"],
    ["no-id", "t1"],
    ["%00", "t1"],
  ] as const) {
    for (const [method, url] of [
      ["GET", `/api/v1/jobs/${id}`],
      ["GET", `/api/v1/jobs/${id}/events`],
      ["POST", `/api/v1/jobs/${id}/cancel`],
      ["POST", `/api/v1/jobs/${id}/retry`],
    ] as const) {
      const answer = await server.inject({ method, url, headers: as(tenantId) });
      expect([answer.statusCode, answer.json().error]).toEqual([404, "job_not_found"]);
    }
  }
  expect(await queue.statuses()).toEqual(["queued"]);
});

test("a token for some repositories sees only their jobs", async () => {
  const { job_id: jobId } = await queue.enqueue();
  const other = await queue.register();
  const theirs = await queue.enqueue({ repoId: other.id });
  const { token, row } = await createDeveloperToken(queue.database, { tenantId: "t1", label: "t", createdBy: "u", now: clock.now() });
  const allowed = { repositories: [other.id] };
  await queue.database.query.updateTable("codeindex.developer_tokens").set(allowed).where("id", "=", row.id).execute();
  const headers = { authorization: `Bearer ${token}` };
  const list = await server.inject({ url: "/api/v1/jobs", headers });
  expect(list.json<{ items: { job_id: string }[] }>().items.map(({ job_id }) => job_id)).toEqual([theirs.job_id]);
  expect((await server.inject({ url: `/api/v1/jobs/${jobId}`, headers })).statusCode).toBe(404);
  expect((await server.inject({ url: `/api/v1/jobs/${jobId}/events`, headers })).statusCode).toBe(404);
  expect((await server.inject({ method: "POST", url: `/api/v1/jobs/${theirs.job_id}/retry`, headers })).statusCode).toBe(403);
});

test("an ended job is tried again as it was, one that has not ended is 409", async () => {
  const setBranches = (branches: readonly string[]) =>
    queue.database.query.updateTable("codeindex.repositories").set({ branches }).execute();
  await setBranches(["release"]);
  const { job_id: jobId } = await queue.enqueue({ ref: "release", mode: "incremental", trigger: "webhook" });
  const retry = () => server.inject({ method: "POST", url: `/api/v1/jobs/${jobId}/retry`, headers: as() });
  const early = await retry();
  expect([early.statusCode, early.json().error]).toEqual([409, "job_not_ended"]);
  await queue.succeed(await takeJob());
  const answer = await retry();
  expect(answer.statusCode).toBe(202);
  expect(answer.json()).toMatchObject({ job: { status: "queued", ref: "release", mode: "incremental", trigger: "api", attempt: 1 } });
  expect((await retry()).json().job.job_id).toBe(answer.json().job.job_id);
  // What an admin took away nobody brings back.
  await setBranches([]);
  const removed = await retry();
  expect([removed.statusCode, removed.json().error]).toEqual([400, "unknown_ref"]);
});

test("jobs are listed by repository, status and trigger, page by page", async () => {
  const other = await queue.register();
  await queue.enqueue({ trigger: "webhook" });
  await queue.succeed(await takeJob());
  await queue.enqueue();
  await queue.enqueue({ repoId: other.id });
  const list = async (query: string) => {
    const answer = await server.inject({ url: `/api/v1/jobs?${query}`, headers: as() });
    return answer.json<{ items: { status: string; trigger: string }[]; next_cursor: string | null }>();
  };
  expect((await list("")).items).toHaveLength(3);
  expect((await list(`repo_id=${other.id}`)).items).toHaveLength(1);
  expect((await list("status=succeeded")).items).toMatchObject([{ trigger: "webhook" }]);
  expect((await list("trigger=webhook&status=queued")).items).toEqual([]);
  const page = await list("limit=2");
  expect((await list(`limit=2&cursor=${page.next_cursor}`)).items).toMatchObject([{ status: "succeeded" }]);
  expect((await server.inject({ url: "/api/v1/jobs?status=strange", headers: as() })).statusCode).toBe(400);
});
