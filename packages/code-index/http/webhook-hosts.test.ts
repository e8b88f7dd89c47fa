import { createHmac, randomUUID } from "node:crypto";
import { systemClock } from "@sightline/foundation/clock";
import { expect, test } from "vitest";
import { fromGithub, githubPush, type Headers, useWebhookServer } from "#testing/use-webhook-server.ts";
import { addRepository, commitOf, createWebhookServer, hmac, SERVER_SECRET } from "#testing/webhook-server.ts";

const { database, post, jobs, deliveries, refs } = useWebhookServer();

const gitlabPush = JSON.stringify({
  object_kind: "push",
  ref: "refs/heads/main",
  before: commitOf("a"),
  after: commitOf("b"),
  project: {
    path_with_namespace: "acme/shop",
    default_branch: "main",
    git_http_url: "https://example.org/acme/shop.git",
    git_ssh_url: "git@example.org:acme/shop.git",
  },
});
const cloudPush = JSON.stringify({
  push: {
    changes: [
      {
        old: { type: "branch", name: "main", target: { hash: commitOf("a") } },
        new: { type: "branch", name: "main", target: { hash: commitOf("b") } },
      },
    ],
  },
  repository: { full_name: "acme/shop", links: { html: { href: "https://example.org/acme/shop" } } },
});
const serverPush = JSON.stringify({
  eventKey: "repo:refs_changed",
  repository: { slug: "shop", project: { key: "ACME" } },
  changes: [{ ref: { id: "refs/heads/main", type: "BRANCH" }, type: "UPDATE", fromHash: commitOf("a"), toHash: commitOf("b") }],
});
const genericPush = JSON.stringify({ full_name: "acme/shop", ref: "refs/heads/main", before: commitOf("a"), after: commitOf("b") });

const azureHeaders = { authorization: `Basic ${Buffer.from(`any:${SERVER_SECRET}`).toString("base64")}` };

function azurePush(remoteUrl: string, resource: object = {}, eventType = "git.push"): string {
  return JSON.stringify({
    eventType,
    resource: {
      refUpdates: [{ name: "refs/heads/main", oldObjectId: commitOf("a"), newObjectId: commitOf("b") }],
      repository: { name: "shop", project: { name: "acme" }, defaultBranch: "refs/heads/main", remoteUrl },
      ...resource,
    },
  });
}

function standardHeaders(body: string, { secret = SERVER_SECRET, key = Buffer.from(secret), at = Date.now() } = {}): Headers {
  const [id, timestamp] = [randomUUID(), String(Math.floor(at / 1000))];
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "x-gitlab-event": "Push Hook",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")} v1,${signature}`,
  };
}

test.for([
  ["GitHub", "github", githubPush(), fromGithub(githubPush())],
  [
    "GitLab, by its token",
    "gitlab",
    gitlabPush,
    { "x-gitlab-event": "Push Hook", "x-gitlab-event-uuid": "1", "x-gitlab-token": SERVER_SECRET },
  ],
  ["GitLab, by its signature", "gitlab", gitlabPush, standardHeaders(gitlabPush)],
  [
    "Gitea",
    "gitea",
    githubPush(),
    { ...fromGithub(githubPush()), "x-gitea-event": "push", "x-gitea-delivery": "2", "x-gitea-signature": hmac(githubPush()) },
  ],
  ["Forgejo", "gitea", githubPush(), { "x-forgejo-event": "push", "x-forgejo-delivery": "3", "x-forgejo-signature": hmac(githubPush()) }],
  [
    "Gogs",
    "gitea",
    githubPush(),
    { ...fromGithub(githubPush()), "x-gogs-event": "push", "x-gogs-delivery": "6", "x-gogs-signature": hmac(githubPush()) },
  ],
  ["Azure DevOps", "azure", azurePush("https://dev.azure.com/org/acme/_git/shop"), azureHeaders],
  [
    "Bitbucket Cloud",
    "bitbucket",
    cloudPush,
    { "x-event-key": "repo:push", "x-request-uuid": "4", "x-hub-signature": `sha256=${hmac(cloudPush)}` },
  ],
  [
    "Bitbucket Server",
    "bitbucket",
    serverPush,
    { "x-event-key": "repo:refs_changed", "x-request-id": "5", "x-hub-signature": `sha256=${hmac(serverPush)}` },
  ],
  ["a script", "generic", genericPush, { "x-signature-256": `sha256=${hmac(genericPush)}` }],
] as const)(
  "a push told by %s starts a job of the default branch, is counted and is in the ledger",
  async ([, provider, body, headers]) => {
    const id = await addRepository(database());
    const answer = await post(body, headers);
    const [job] = await jobs();
    expect(answer).toMatchObject({ status: 202, body: { status: "accepted", jobs: [job?.job_id] } });
    expect(job).toMatchObject({ repo_id: id, ref: null, mode: "incremental", trigger: "webhook", requested_commit: commitOf("b") });
    expect(await refs()).toEqual([{ name: "main", is_default: true, pushes_received: 1, head_commit: commitOf("b") }]);
    expect(await deliveries()).toMatchObject([
      { provider, repo_id: id, tenant_id: "one", status: "accepted", reason: "", job_ids: [job?.job_id], replays: 0 },
    ]);
  },
);

test("GitLab's signing token is read as Standard Webhooks has it, and an old signature is not accepted", async () => {
  await addRepository(database());
  const key = Buffer.from("thirty-two bytes of a key, or so");
  const signing = await createWebhookServer(database(), { secret: `whsec_${key.toString("base64")}`, clock: systemClock });
  expect(await post(gitlabPush, standardHeaders(gitlabPush, { key }), signing)).toMatchObject({ status: 202 });
  expect(await post(gitlabPush, standardHeaders(gitlabPush), signing)).toMatchObject({ status: 401 });
  const old = standardHeaders(gitlabPush, { key, at: Date.now() - 6 * 60_000 });
  expect(await post(gitlabPush, old, signing)).toMatchObject({ status: 401 });
  await signing.close();
});

test("a wrong signature of GitLab's is not made up for by a right token", async () => {
  const headers = { ...standardHeaders(gitlabPush, { secret: "another-secret" }), "x-gitlab-token": SERVER_SECRET };
  expect(await post(gitlabPush, headers)).toMatchObject({ status: 401 });
});

test("a push of Bitbucket's may change several branches: each that is indexed gets a job", async () => {
  await addRepository(database(), { branches: ["next", "gone"] });
  const change = (name: string, type = "branch") => ({ old: null, new: { type, name, target: { hash: commitOf("c") } } });
  const body = JSON.stringify({
    push: {
      changes: [
        change("next"),
        change("main"),
        change("v1", "tag"),
        change("other"),
        { old: { type: "branch", name: "gone", target: { hash: commitOf("a") } }, new: null },
      ],
    },
    repository: { full_name: "acme/shop" },
  });
  const headers = { "x-event-key": "repo:push", "x-request-uuid": randomUUID(), "x-hub-signature": `sha256=${hmac(body)}` };
  expect(await post(body, headers)).toMatchObject({ status: 202, body: { status: "accepted" } });
  expect((await jobs()).map(({ ref }) => ref ?? "(default)").toSorted((one, other) => one.localeCompare(other))).toEqual([
    "(default)",
    "gone",
    "next",
  ]);
  expect((await refs()).map(({ name, pushes_received: pushes }) => [name, pushes])).toEqual([
    ["main", 1],
    ["next", 1],
  ]);
  expect(await deliveries()).toMatchObject([{ status: "accepted", reason: "other is not among the repository's branches to index" }]);
});

test("a repository is found by its name in either case, and by any of its addresses", async () => {
  await addRepository(database(), { fullName: "sub/project", cloneUrl: "ssh://git@git.example.org:7999/Group/sub/project.git" });
  for (const project of [
    { path_with_namespace: "SUB/Project" },
    { path_with_namespace: "group/sub/project", git_http_url: "https://git.example.org/group/sub/project.git" },
    { path_with_namespace: "group/sub/project", git_ssh_url: "git@git.example.org:group/sub/project.git" },
  ]) {
    const body = JSON.stringify({ ref: "refs/heads/main", project });
    const headers = { "x-gitlab-event": "Push Hook", "idempotency-key": randomUUID(), "x-gitlab-token": SERVER_SECRET };
    expect(await post(body, headers)).toMatchObject({ status: 202, body: { status: "accepted" } });
  }
});

test.for([
  "https://dev.azure.com/Org/My%20Project/_git/Shop",
  "git@ssh.dev.azure.com:v3/Org/My%20Project/Shop",
  "https://org.visualstudio.com/My%20Project/_git/Shop",
])("a repository of Azure DevOps is found that is fetched from %s", async (cloneUrl) => {
  await addRepository(database(), { fullName: "other/name", cloneUrl });
  for (const remoteUrl of [
    "https://org@dev.azure.com/Org/My%20Project/_git/Shop",
    "https://org.visualstudio.com/DefaultCollection/My%20Project/_git/Shop",
  ]) {
    expect(await post(azurePush(remoteUrl), azureHeaders)).toMatchObject({ status: 202, body: { status: "accepted" } });
  }
  expect(await post(azurePush(cloneUrl), { authorization: `Basic ${Buffer.from("any:wrong").toString("base64")}` })).toMatchObject({
    status: 401,
  });
});

test("of a repository that was renamed at Azure DevOps an admin is told", async () => {
  await addRepository(database(), { fullName: "acme/former", cloneUrl: "https://dev.azure.com/org/acme/_git/former" });
  const body = azurePush("https://dev.azure.com/org/acme/_git/shop", { oldName: "former" }, "git.repo.renamed");
  expect(await post(body, azureHeaders)).toMatchObject({ status: 202, body: { message: expect.stringContaining("acme/shop now") } });
});
