import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { startFakeLangfuse, type FakeProject } from "#testing/fake-langfuse.ts";
import { runCommand } from "#testing/run-command.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";

/** 10 has 10,000 items, 50 runs and 200,000 scores: `npm run prove:import`. */
const DATASETS = Number(process.env["IMPORT_DATASETS"] ?? "1");
vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 120_000 });

const PASSWORD = "seven green lanterns";
const answerSchema = z.looseObject({ id: z.string().default(""), key: z.string().default(""), access_token: z.string().default("") });

let folder: string;
let product: StartedProduct;
let admin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-import-"));
  product = await startProduct("import", { ADMIN_EMAIL: "ada@example.org", ADMIN_PASSWORD: PASSWORD });
  const identity = `http://127.0.0.1:${product.environment["IDENTITY_PORT"]}`;
  ({ access_token: admin } = await ask(`${identity}/login/access-token`, "", { email: "ada@example.org", password: PASSWORD }));
});
afterAll(async () => {
  await product.stop();
  await rm(folder, { recursive: true });
});

async function ask(url: string, token: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.ok, `${url} ${answer.status}`).toBe(true);
  return answerSchema.parse(await answer.json());
}

/** A project of its own, with what the command needs to know of it and of Langfuse. */
async function environmentOf(name: string, langfuse: string): Promise<Readonly<Record<string, string>>> {
  const url = `http://127.0.0.1:${product.environment["OBSERVABILITY_PORT"]}`;
  const { id } = await ask(`${url}/api/v1/projects`, admin, { name });
  const { key } = await ask(`${url}/api/v1/projects/${id}/keys`, admin, { name: "import", scopes: ["evaluate"] });
  const keys = { LANGFUSE_HOST: langfuse, LANGFUSE_PUBLIC_KEY: "pk-lf-1", LANGFUSE_SECRET_KEY: "sk-lf-1" };
  return { OBS_API_URL: url, OBS_API_KEY: key, OBS_PROJECT_ID: id, ...keys };
}

const row = (out: string, kind: string) => new RegExp(`^${kind} +(\\d+) +(\\d+) +(\\d+) +(\\d+)$`, "m").exec(out)?.slice(1).map(Number);

async function countRows(project: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of ["datasets", "dataset_versions", "item_revisions", "experiments", "experiment_runs", "run_scores"]) {
    const { rows } = await product.database.pool.query<{ count: number }>(
      `select count(*)::int as count from observability.${table} where project_id = $1`,
      [project],
    );
    counts[table] = rows[0]?.count ?? 0;
  }
  return counts;
}

test.for([3, 4] as const)("Langfuse %i comes over whole, and a second time nothing is written", async (version) => {
  const size = DATASETS > 1 ? { itemsOfEach: 1_000, runsOfEach: 5, scoresOfEach: 4 } : { itemsOfEach: 130, runsOfEach: 2, scoresOfEach: 3 };
  const project: FakeProject = { version, datasets: DATASETS, isBusy: true, ...size };
  const [items, runs] = [DATASETS * size.itemsOfEach, DATASETS * size.runsOfEach];
  const [runItems, scores] = [items * size.runsOfEach, items * size.runsOfEach * size.scoresOfEach];
  // The last of each trace is a category.
  const kept = (scores / size.scoresOfEach) * (size.scoresOfEach - 1);
  const langfuse = await startFakeLangfuse(project);
  try {
    const environment = await environmentOf(`v${version}`, langfuse.url);
    const began = performance.now();
    const first = await runCommand(["import", "langfuse"], { folder, environment, timeoutMs: 900_000 });
    const middle = performance.now();
    expect(first.error).toBe("");
    expect(row(first.out, "datasets")).toEqual([DATASETS, DATASETS, 0, 0]);
    expect(row(first.out, "items")).toEqual([items, items, 0, 0]);
    expect(row(first.out, "experiments")).toEqual([runs, runs, 0, 0]);
    expect(row(first.out, "runs")).toEqual([runItems, runItems, 0, 0]);
    expect(row(first.out, "scores")).toEqual([scores, kept, 0, scores - kept]);
    expect(first.out).toContain(`left out: ${scores - kept} scores: categorical: runs have booleans and numbers`);
    expect(row(first.out, "prompts")).toEqual([2, 2, 0, 0]);
    expect(first.out).toContain("1 labels production of prompts, which an owner sets here");
    const rows = await countRows(environment["OBS_PROJECT_ID"] ?? "");
    expect(rows).toMatchObject({
      datasets: DATASETS,
      item_revisions: items,
      experiments: runs,
      experiment_runs: runItems,
      run_scores: kept,
    });

    const second = await runCommand(["import", "langfuse"], { folder, environment, timeoutMs: 900_000 });
    const took = [middle - began, performance.now() - middle].map((ms) => `${(ms / 1_000).toFixed(1)} s`);
    console.log(
      `Langfuse ${version}: ${items} items, ${runs} runs, ${scores} scores in ${took.join(", again ")}, ${langfuse.asked} requests`,
    );
    expect(row(second.out, "items")).toEqual([items, 0, items, 0]);
    expect(row(second.out, "experiments")).toEqual([runs, 0, runs, 0]);
    expect(row(second.out, "runs")).toEqual([runItems, 0, runItems, 0]);
    expect(row(second.out, "scores")).toEqual([scores, 0, kept, scores - kept]);
    expect(row(second.out, "prompts")).toEqual([2, 0, 2, 0]);
    expect(await countRows(environment["OBS_PROJECT_ID"] ?? "")).toEqual(rows);
  } finally {
    await langfuse.stop();
  }
});

test("a score that came later is written in a next attempt; what has no run here is told", async () => {
  const langfuse = await startFakeLangfuse({ version: 4, datasets: 1, itemsOfEach: 3, runsOfEach: 1, scoresOfEach: 1 });
  try {
    const environment = await environmentOf("late", langfuse.url);
    await runCommand(["import", "langfuse"], { folder, environment });
    const late = (id: string, kind: string, value: unknown, of: string) => ({
      id,
      projectId: "p",
      name: "late",
      source: "ANNOTATION",
      environment: "default",
      dataType: "NUMERIC",
      value,
      timestamp: "2026-03-02T10:00:00.000Z",
      createdAt: "2026-03-02T10:00:00.000Z",
      updatedAt: "2026-03-02T10:00:00.000Z",
      comment: null,
      configId: null,
      metadata: {},
      subject: { kind, id: of },
    });
    langfuse.late = [
      late("l1", "trace", 0.5, "trace-0-0-1"),
      late("l2", "trace", 0.7, "trace-elsewhere"),
      late("l3", "session", 1, "s"),
      late("l4", "trace", 1e300, "trace-0-0-2"),
    ];
    const { out } = await runCommand(["import", "langfuse"], { folder, environment });
    expect(row(out, "runs")).toEqual([3, 1, 2, 0]);
    expect(row(out, "scores")).toEqual([7, 2, 2, 3]);
    expect(out).toContain("left out: 1 scores: its trace is of no run that came over");
    expect(out).toContain("left out: 1 scores: of a session or a whole experiment");
    expect(row((await runCommand(["import", "langfuse"], { folder, environment })).out, "runs")).toEqual([3, 0, 3, 0]);
  } finally {
    await langfuse.stop();
  }
});

test("one odd row costs itself alone, and what hangs on it is told; outputs of version 3 come from the traces", async () => {
  const langfuse = await startFakeLangfuse({ version: 3, datasets: 1, itemsOfEach: 5, runsOfEach: 1, scoresOfEach: 1 });
  try {
    const environment = await environmentOf("odd", langfuse.url);
    const deep = Array.from({ length: 300 }).reduce<unknown>((inner) => [inner], 1);
    langfuse.odd = [
      {},
      { status: "ARCHIVED" },
      { input: deep },
      { input: { q: "question 0" }, expectedOutput: "answer 0" },
      { metadata: "a text" },
    ];
    const words = ["import", "langfuse", "--outputs"];
    const { out } = await runCommand(words, { folder, environment });
    expect(row(out, "items")).toEqual([5, 2, 0, 3]);
    expect(out).toContain("left out: 1 items: archived");
    expect(out).toMatch(/left out: 1 items: .*nested more than/);
    expect(out).toContain("left out: 1 items: the dataset has an item of the same input and expected value");
    expect(row(out, "runs")).toEqual([5, 2, 0, 3]);
    expect(out).toContain("left out: 3 scores: its run was left out");
    const { rows } = await product.database.pool.query<{ output: unknown }>(
      "select output from observability.experiment_runs where project_id = $1 order by output::text",
      [environment["OBS_PROJECT_ID"]],
    );
    expect(rows).toEqual([{ output: { said: "trace-0-0-0" } }, { output: { said: "trace-0-0-4" } }]);
    expect(row((await runCommand(words, { folder, environment })).out, "items")).toEqual([5, 0, 2, 3]);
  } finally {
    await langfuse.stop();
  }
});

test("wrong keys are said without the secret, and nothing is made", async () => {
  const langfuse = await startFakeLangfuse({ version: 3, datasets: 1, itemsOfEach: 1, runsOfEach: 1, scoresOfEach: 1 });
  try {
    const environment = { ...(await environmentOf("keys", langfuse.url)), LANGFUSE_SECRET_KEY: "sk-lf-wrong" };
    const { code, error } = await runCommand(["import", "langfuse"], { folder, environment });
    expect(code).toBe(1);
    expect(error).toMatch(/Langfuse answers 401 to \/v2\/datasets; are host and keys right\?/);
    expect(error).not.toContain("sk-lf-wrong");
    expect(await runCommand(["import", "langfuse"], { folder, environment: { ...environment, LANGFUSE_PUBLIC_KEY: "" } })).toMatchObject({
      code: 2,
      error: expect.stringContaining("Set LANGFUSE_PUBLIC_KEY"),
    });
  } finally {
    await langfuse.stop();
  }
});

test("a file of JSON lines comes over once", async () => {
  const environment = await environmentOf("lines", "");
  await writeFile(join(folder, "items.jsonl"), '{"input":1,"expected":2}\n{"input":2}\n');
  const words = ["import", "jsonl", "items.jsonl", "--dataset", "refunds"];
  const first = await runCommand(words, { folder, environment });
  expect([row(first.out, "datasets"), row(first.out, "items")]).toEqual([
    [1, 1, 0, 0],
    [2, 2, 0, 0],
  ]);
  expect(row((await runCommand(words, { folder, environment })).out, "items")).toEqual([2, 0, 0, 2]);
});
