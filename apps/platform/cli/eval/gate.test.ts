import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { startFakeHost } from "#testing/fake-code-host.ts";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";

vi.setConfig({ testTimeout: COMMAND_MS, hookTimeout: COMMAND_MS });

const PASSWORD = "seven green lanterns";
const ITEMS = 60;
const answerSchema = z.looseObject({
  id: z.string().default(""),
  key: z.string().default(""),
  items: z.array(z.looseObject({ id: z.string() })).catch([]),
  access_token: z.string().default(""),
});

let folder: string;
let product: StartedProduct;
let settings: Readonly<Record<string, string>>;
let dataset: string;
let ids: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-eval-"));
  product = await startProduct("eval", { ADMIN_EMAIL: "ada@example.org", ADMIN_PASSWORD: PASSWORD });
  const url = `http://127.0.0.1:${product.environment["OBSERVABILITY_PORT"]}`;
  const identity = `http://127.0.0.1:${product.environment["IDENTITY_PORT"]}`;
  const { access_token: admin } = await ask(`${identity}/login/access-token`, "", { email: "ada@example.org", password: PASSWORD });
  const project = await ask(`${url}/api/v1/projects`, admin, { name: "Shipping" });
  const { key } = await ask(`${url}/api/v1/projects/${project.id}/keys`, admin, { name: "ci", scopes: ["evaluate"] });
  settings = { OBS_API_URL: url, OBS_API_KEY: key, OBS_PROJECT_ID: project.id };
  ({ id: dataset } = await send("/datasets", { name: "refunds" }));
  const check = { type: "equals", value: "good" };
  const source = { path: "src/policy.ts", line: 88 };
  const items = Array.from({ length: ITEMS }, (_, at) => ({ input: at, checks: [check], required: at === 0, source }));
  ids = (await send(`/datasets/${dataset}/items`, { items })).items.map(({ id }) => id);
  await run("main", () => true);
});

afterAll(async () => {
  await product.stop();
  await rm(folder, { recursive: true });
});

async function ask(url: string, token: string, body: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.ok, `${url} ${answer.status}`).toBe(true);
  return answerSchema.parse(await answer.json());
}

function send(path: string, body: object) {
  return ask(`${settings["OBS_API_URL"]}/api/v1/projects/${settings["OBS_PROJECT_ID"]}${path}`, settings["OBS_API_KEY"] ?? "", body);
}

/** An experiment of a branch whose items put out what passes, or not. */
async function run(branch: string, isGood: (at: number) => boolean, count = ITEMS): Promise<string> {
  const { id } = await send("/experiments", { dataset_id: dataset, name: branch, branch });
  const runs = ids
    .slice(0, count)
    .map((item, at) => ({ item_id: item, repetition: 0, state: "succeeded", output: isGood(at) ? "good" : "bad" }));
  await send(`/experiments/${id}/runs`, { runs });
  await send(`/experiments/${id}/finish`, {});
  return id;
}

function evaluate(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return runCommand(["eval", ...words], { folder, environment: { ...settings, ...environment } });
}

describe("sightline eval gate", () => {
  test("passes what did not change, found by its dataset and CI's branch", async () => {
    await run("same", () => true);
    const { code, out } = await evaluate(["gate", "--dataset", "refunds"], { GITHUB_HEAD_REF: "same" });
    expect(out).toContain("PASSED: nothing that was judged got worse.");
    expect(out).toContain("| checks | 1.000 | 1.000 | +0.000");
    expect(code).toBe(0);
  });

  test("ends with 1 where it got worse, at the line, for people and for CI's readers", async () => {
    const id = await run("worse", (at) => at % 4 !== 0);
    const files = { junit: join(folder, "eval.xml"), markdown: join(folder, "eval.md") };
    const { code, out } = await evaluate(["gate", id, "--junit", files.junit, "--markdown", files.markdown], { GITHUB_ACTIONS: "true" });
    expect(code).toBe(1);
    expect(out).toContain("- 1 required item failed.");
    expect(out).toMatch(
      /^::error file=src\/policy\.ts,line=88::Item [0-9a-f-]{36} failed: output equals "good"%3A|^::error file=src\/policy\.ts,line=88::Item/m,
    );
    expect(await readFile(files.junit, "utf8")).toMatch(/<testsuite name="sightline eval gate" tests="2" failures="2">/);
    expect(await readFile(files.markdown, "utf8")).toContain("| `checks` | 1.000 | 0.750 | −0.250");
  });

  test("tells the code host: a comment that the next push changes, a status, and that something was not measured", async () => {
    const host = await startFakeHost("tok_of_ci");
    try {
      const id = await run("</code> @all `|`", (at) => at % 4 !== 0);
      const ci = {
        GITHUB_ACTIONS: "true",
        GITHUB_API_URL: host.url,
        GITHUB_REPOSITORY: "acme/refunds",
        OBS_CONSOLE_URL: "https://sightline.example",
      };
      const flags = ["--comment", "--status", "--pull-request", "7", "--commit", "4".repeat(40)];
      const { code, out } = await evaluate(["gate", id, ...flags], { ...ci, GITHUB_TOKEN: "tok_of_ci" });
      expect(code).toBe(1);
      expect(out).toContain("Pull request 7 has the comment.");
      expect(out).toContain("::warning file=src/policy.ts,line=88::15 items got worse here.");
      expect(host.comments[0]).toContain("- `src/policy.ts:88`: 15 items");
      expect(host.comments[0]).toContain("`</code> @all ˋ∣ˋ` over `refunds` version 1, beside `main`");
      const link = `https://sightline.example/projects/${settings["OBS_PROJECT_ID"]}/experiments/${id}?baseline=main`;
      expect(host.comments[0]).toContain(`[The comparison](${link})`);
      expect(host.statuses).toEqual([
        { state: "failure", context: "sightline/refunds", description: "WORSE: this change makes the agent worse.", target_url: link },
      ]);
      const unmeasured = ["gate", "--dataset", "refunds", "--branch", "nowhere", ...flags];
      expect(await evaluate(unmeasured, { ...ci, GITHUB_TOKEN: "tok_of_ci" })).toMatchObject({ code: 3 });
      expect(host.comments).toEqual([expect.stringContaining("There is no experiment of the branch nowhere")]);
      expect(host.statuses.at(-1)).toMatchObject({ state: "error" });
      const refused = await evaluate(["gate", id, ...flags], { ...ci, GITHUB_TOKEN: "tok_of_fork" });
      expect(refused).toMatchObject({ code: 1, error: expect.stringContaining("The code host was not told: github refuses with 401") });
      expect(refused.error + refused.out).not.toContain("tok_of_fork");
    } finally {
      await host.stop();
    }
  });

  test("is never green where something was not measured: runs are missing, nobody answers, there is no baseline", async () => {
    const id = await run("half", () => true, ITEMS / 2);
    expect(await evaluate(["gate", id])).toMatchObject({ code: 3, out: expect.stringContaining("30 runs of 60 are missing.") });
    expect(await evaluate(["gate", id, "--baseline", "nowhere"])).toMatchObject({ code: 3 });
    expect(await evaluate(["gate", id], { OBS_API_URL: "http://127.0.0.1:9" })).toMatchObject({
      code: 3,
      error: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 does not answer/),
    });
    const revoked = `studio_${"1".repeat(64)}`;
    const refused = await evaluate(["gate", id], { OBS_API_KEY: revoked });
    expect(refused).toMatchObject({ code: 3, error: expect.stringContaining("There is no such API key") });
    expect(refused.error + refused.out).not.toContain(revoked);
  });

  test("runs a command first, and gates what that made: not what was there before, and nothing where it failed", async () => {
    await run("tried", () => true);
    const words = (script: string) => ["run", "--dataset", "refunds", "--branch", "tried", "--", process.execPath, "-e", script];
    expect(await evaluate(words("console.log('evaluated')"))).toMatchObject({
      code: 3,
      out: "evaluated\n",
      error: expect.stringContaining("The command made no experiment of the branch tried over refunds."),
    });
    expect(await evaluate(words("process.exit(7)"))).toMatchObject({
      code: 3,
      error: expect.stringContaining("ended with 7, so nothing was judged."),
    });
    expect(await evaluate(["run", "--dataset", "refunds", "--branch", "tried", "--", "no-such-program"])).toMatchObject({
      code: 3,
      error: expect.stringContaining("can't be started"),
    });
    const report = `
      const [url, headers] = [process.env.OBS_API_URL + "/api/v1/projects/" + process.env.OBS_PROJECT_ID, { authorization: "Bearer " + process.env.OBS_API_KEY, "content-type": "application/json" }];
      const send = async (path, body) => (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
      const { id } = await send("/experiments", { dataset_id: "${dataset}", name: "tried", branch: "tried" });
      const runs = ${JSON.stringify(ids)}.map((item_id) => ({ item_id, repetition: 0, state: "succeeded", output: "bad" }));
      await send("/experiments/" + id + "/runs", { runs });
      await send("/experiments/" + id + "/finish", {});`;
    expect(await evaluate(words(report))).toMatchObject({ code: 1, out: expect.stringContaining("WORSE") });
  });

  test.for([
    ["no command", ["run", "--dataset", "refunds"], {}, /missing required argument 'command'/],
    ["no dataset to look at", ["run", "--", "true"], {}, /Name the dataset with --dataset/],
    ["no key", ["gate", "--dataset", "refunds"], { OBS_API_KEY: "" }, /OBS_API_KEY is no API key/],
    ["no address", ["gate"], { OBS_API_URL: "refunds" }, /OBS_API_URL\) starts with/],
    ["no experiment", ["gate"], {}, /Name an experiment by its id, or its dataset/],
    ["an odd margin", ["compare", "--margin", "much"], {}, /--margin takes a number/],
  ] as const)("%s is wrong usage", async ([, words, environment, expected]) => {
    expect(await evaluate(words, environment)).toMatchObject({ code: 2, error: expect.stringMatching(expected) });
  });
});
