import { expect, test } from "vitest";
import { fromGithub, githubPush, useWebhookServer } from "#testing/use-webhook-server.ts";
import { addRepository } from "#testing/webhook-server.ts";

const { database, post, deliver, jobs } = useWebhookServer();

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
