import { connect } from "node:net";
import { expect, test } from "vitest";
import { fromGithub, githubPush, type Headers, useWebhookServer } from "#testing/use-webhook-server.ts";
import { addRepository } from "#testing/webhook-server.ts";

const { database, server, post, deliver, jobs } = useWebhookServer();

test.for([
  ["", 400],
  ["{", 400],
  ["{}", 400],
  ["null", 400],
  ['{"ref":1}', 400],
  ["[".repeat(1_000_000), 400],
  [githubPush({ ref: null }), 400],
  [githubPush({}, { full_name: "acme/shop\0" }), 400],
  [githubPush({}, { full_name: "x".repeat(500) }), 400],
  [githubPush({}, { full_name: { toString: "acme/shop" } }), 400],
  [githubPush({}, { full_name: "' or true; --" }), 202],
  [githubPush({}, { full_name: "%", clone_url: "%" }), 202],
  [githubPush({}, { default_branch: "../../etc" }), 202],
  [githubPush({ ref: "refs/heads/--upload-pack=touch x" }), 202],
  [githubPush({ ref: "refs/heads/\ud800" }), 202],
  [githubPush({ after: "x".repeat(40) }), 202],
] as const)("a signed body that is odd is refused or ignored: %j", async ([body, status]) => {
  await addRepository(database());
  expect((await deliver(body)).status).toBe(status);
  expect((await jobs()).filter((job) => job.ref !== null)).toEqual([]);
});

test("a body over 25 MiB is 413, a form is 415 and says what to set", async () => {
  const large = Buffer.alloc(25 * 1024 * 1024 + 1, " ");
  expect(await post(large, fromGithub(""))).toMatchObject({ status: 413, body: { error: "body_too_large" } });
  const form = `payload=${encodeURIComponent(githubPush())}`;
  const headers = { ...fromGithub(form), "content-type": "application/x-www-form-urlencoded" };
  expect(await post(form, headers)).toMatchObject({
    status: 415,
    body: { message: expect.stringContaining("application/json at the host") },
  });
});

test("many large bodies at once are put off, so that they don't fill the memory", async () => {
  const headers = { ...fromGithub(""), "content-length": String(25 * 1024 * 1024) };
  const address = await server().listen({ port: 0, host: "127.0.0.1" });
  const sockets = await Promise.all(Array.from({ length: 8 }, () => open(address, headers)));
  const answer = await fetch(`${address}/api/v1/ingest/webhook`, {
    method: "POST",
    headers: { ...fromGithub("{}"), "content-type": "application/json" },
    body: "{}",
  });
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("10");
  sockets.forEach((socket) => socket.destroy());
  await expect.poll(async () => (await deliver("{}", { event: "ping" })).status).toBe(200);
});

async function open(address: string, headers: Headers) {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ host: "localhost", "content-type": "application/json", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await new Promise<void>((resolve) => socket.write(`POST /api/v1/ingest/webhook HTTP/1.1\r\n${head}\r\n{`, () => resolve()));
  return socket;
}
