import { createHmac, randomUUID } from "node:crypto";
import { createLog } from "@sightline/foundation/log";
import { expect, vi } from "vitest";
import { findTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { addAlert } from "#watching/alerts.store.ts";
import { startCodeIndex, WEBHOOK_SECRET, type RunningCodeIndex } from "./running-code-index.ts";
import { notingRoutes, type Fill, type ServedRoute } from "./served-routes.ts";

/** What nobody else may ever see of the marked repository. No request has them all, so that an echo is told from a leak. */
export const MARKS = {
  name: "zebrafinch/nest",
  path: "hoopoe/secret-plan.ts",
  branch: "wagtail-branch",
  content: "kingfisherPlumage",
  symbol: "launchTheKingfisher",
  skipped: "cormorant.bin",
  label: "nuthatch token",
  credential: "bunting credential",
  username: "siskin-user",
} as const;

/** Of the same shape and length, and nobody's. */
const NOBODYS = {
  name: "nonesuch00/nest",
  path: "nobody/absent-file.ts",
  branch: "nobody-branch0",
  symbol: "nobodysFunction0000",
} as const;

const NOBODYS_COMMIT = "fedcba9876543210fedcba9876543210fedcba98";

export type MarkedFixture = {
  readonly running: RunningCodeIndex;
  readonly routes: readonly ServedRoute[];
  /** Values for fields and parameters that name what belongs to tenant `one`. */
  readonly victim: Fill;
  /** The same for what is nowhere. */
  readonly nowhere: Fill;
  /** Ids of everything that hangs on the marked repository. */
  readonly ids: Readonly<Record<string, string>>;
  /** Repository of tenant `one` that is not marked. */
  readonly allowedId: string;
  readonly log: readonly string[];
};

const CLONE_URL = "https://127.0.0.1:1/owner/repo.git";

/** Tenant `one` with a marked repository and everything that hangs on it, and one that is not; tenant `two` with its own. */
export async function createMarkedFixture(): Promise<MarkedFixture> {
  const log: string[] = [];
  const logging = createLog({ name: "test", level: "debug", destination: { write: (line) => void log.push(line) } });
  const { started: running, routes } = await notingRoutes(() => startCodeIndex({ log: logging }));
  const admin = running.asAdmin("one");
  const post = async (url: string, payload: object, headers: Readonly<Record<string, string>> = admin) => {
    const answer = await running.server.inject({ method: "POST", url, headers, payload });
    expect(answer.statusCode, `${url} ${answer.body}`).toBeLessThan(300);
    return answer.json();
  };
  const get = async (url: string) => (await running.server.inject({ url, headers: admin })).json();

  const source = `/** ${MARKS.content} */\nexport function ${MARKS.symbol}() {\n  return "${MARKS.content}";\n}\n`;
  const marked = await running.index(MARKS.name, { [MARKS.path]: source, [MARKS.skipped]: "\0\0", "shared.txt": "in every repository\n" });
  marked.source.git("branch", MARKS.branch);
  const allowed = await running.index("plain/allowed", { "plain.ts": "export const plain = 1;\n", "shared.txt": "in every repository\n" });
  await running.index("plain/foreign", { "own.ts": "export const own = 1;\n", "shared.txt": "in every repository\n" }, "two");

  const credential = await post("/api/v1/credentials", {
    name: MARKS.credential,
    kind: "token",
    host: "git.example.org",
    username: MARKS.username,
    secret: "dunlin-secret-of-the-credential",
  });
  const token = await post("/api/v1/developer-tokens", { label: MARKS.label, repositories: [marked.id] });
  const changed = await running.server.inject({
    method: "PATCH",
    url: `/api/v1/repos/${marked.id}`,
    headers: admin,
    payload: { branches: [MARKS.branch], credential_id: credential.id },
  });
  expect(changed).toMatchObject({ statusCode: 200 });
  await vi.waitFor(
    async () => {
      const { refs } = await get(`/api/v1/repos/${marked.id}`);
      expect(refs).toEqual(expect.arrayContaining([expect.objectContaining({ name: MARKS.branch, indexed_commit: marked.commit })]));
    },
    { timeout: 20_000, interval: 100 },
  );
  for (const branch of ["main", MARKS.branch]) {
    await vi.waitFor(async () => expect((await get(`/api/v1/repos/${marked.id}/commits?ref=${branch}`)).commits).toHaveLength(1), {
      timeout: 20_000,
      interval: 100,
    });
  }
  const saved = await post("/api/v1/saved-searches", { kind: "grep", query: MARKS.symbol, repo: MARKS.name });
  const watched = await running.server.inject({
    method: "PATCH",
    url: `/api/v1/saved-searches/${saved.id}`,
    headers: admin,
    payload: { watch: true },
  });
  expect(watched).toMatchObject({ statusCode: 200 });
  await addAlert(running.database, {
    tenant: (await findTenant(running.database, "one")) as Tenant,
    searchId: saved.id,
    repoId: marked.id,
    ref: "main",
    base: marked.commit,
    commit: marked.commit,
    matches: 1,
    lines: [{ path: MARKS.path, line: 2, text: MARKS.symbol }],
    note: null,
    now: new Date(),
  });
  await deliverPush(running);
  const [delivery] = (await get("/api/v1/webhooks/deliveries")).items;
  await vi.waitFor(
    async () => {
      const { items } = await get("/api/v1/jobs?limit=200");
      expect(items.filter(({ status }: { status: string }) => status === "queued" || status === "running")).toEqual([]);
    },
    { timeout: 20_000, interval: 100 },
  );
  const [job] = (await get(`/api/v1/jobs?repo_id=${marked.id}`)).items;
  const ids = {
    repository: marked.id,
    job: job.job_id,
    token: token.id,
    credential: credential.id,
    delivery: delivery.id,
    saved: saved.id,
  };
  return {
    running,
    routes,
    ids,
    allowedId: allowed.id,
    log,
    victim: fillOf({ ...MARKS, commit: marked.commit }, { repository: ids.repository, credential: ids.credential }),
    nowhere: fillOf({ ...NOBODYS, commit: NOBODYS_COMMIT }, { repository: randomUUID(), credential: randomUUID() }),
  };
}

type Named = Readonly<Record<"name" | "path" | "branch" | "symbol" | "commit", string>>;

function fillOf({ name, path, branch, symbol, commit }: Named, ids: { readonly repository: string; readonly credential: string }): Fill {
  return {
    repo: name,
    // What an asker registers is its own, and taken from then on.
    full_name: () => `plain/${randomUUID()}`,
    clone_url: CLONE_URL,
    repo_id: ids.repository,
    repositories: [ids.repository],
    credential_id: ids.credential,
    path,
    ref: branch,
    branch,
    branches: [branch],
    commit,
    base: commit,
    head: commit,
    symbol,
    name: symbol,
    // The same for both: how an asker's own code ranks depends on it.
    query: "in every repository",
    pattern: "repository",
    // Nobody has one that fits: what it stands before is asked for.
    cursor: undefined,
    index: false,
    limit: 50,
    host: "git.example.org",
    webhook_secret: "a-secret-of-16-characters",
  };
}

async function deliverPush(running: RunningCodeIndex): Promise<void> {
  const commit = "0123456789012345678901234567890123456789";
  const repository = { full_name: MARKS.name, default_branch: "main", clone_url: `https://github.com/${MARKS.name}.git` };
  const body = JSON.stringify({ ref: "refs/heads/main", before: commit, after: commit, repository });
  const answer = await running.server.inject({
    method: "POST",
    url: "/api/v1/ingest/webhook",
    headers: {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": `sha256=${createHmac("sha256", WEBHOOK_SECRET).update(body).digest("hex")}`,
    },
    payload: body,
  });
  expect(answer).toMatchObject({ statusCode: 202 });
}
