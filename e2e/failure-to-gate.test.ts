import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failOn, launchBrowser, openContext, openPage } from "./browser.ts";
import { logInFirst } from "./log-in.ts";
import { makePlace, startProduct, type Place, type Product } from "./product.ts";

/** docs/evaluation.md as it is followed: its own script and its own command, between a failing trace and a gate that is green again. */
const PASSWORD = "correct horse battery staple";
const STEP_MS = 300_000;
const root = fileURLToPath(new URL("..", import.meta.url));
const guide = readFileSync(join(root, "docs/evaluation.md"), "utf8");
const python = execFileSync(join(root, "tools/python-environment.sh"), { encoding: "utf8" }).trim();

const AGENT = `import sys
import sightline

sightline.initialize_redis_publisher().wait()

@sightline.trace_tool()
def find_order(number: int) -> dict[str, object]:
    return {"number": number} if number == 3 else {"number": number, "amount": 5}

def agent(question: dict[str, int]) -> str:
    return "refunded" if find_order(number=question["order"])["amount"] else "ask again"

if __name__ == "__main__":
    with sightline.trace("refund", input={"order": int(sys.argv[1])}) as run:
        run.output = agent({"order": int(sys.argv[1])})
`;
const FIX: readonly [string, string] = ['["amount"] else', '.get("amount") else'];

let place: Place;
let product: Product;
let browser: Browser;
let page: Page;
let folder: string;
let programs: string;
let variables: Readonly<Record<string, string>>;
const problems: string[] = [];

beforeAll(async () => {
  place = await makePlace();
  product = await startProduct(place);
  browser = await launchBrowser();
  page = await openPage(await openContext(browser), problems);
  await logInFirst(page, product.consoleUrl, product.admin, PASSWORD);
  const { access_token: token } = await post<{ access_token: string }>("/api/identity/login/access-token", {
    email: product.admin.email,
    password: PASSWORD,
  });
  const { id } = await post<{ id: string }>("/api/observability/api/v1/projects", { name: "Refunds" }, token);
  const keys = `/api/observability/api/v1/projects/${id}/keys`;
  const { key } = await post<{ key: string }>(keys, { name: "ci", scopes: ["evaluate"] }, token);
  variables = {
    OBS_API_URL: product.observabilityUrl,
    OBS_API_KEY: key,
    OBS_PROJECT_ID: id,
    OBS_REDIS_URL: `redis://127.0.0.1:${place.environment["SIGHTLINE_REDIS_PORT"]}`,
  };
  programs = mkdtempSync(join(tmpdir(), "sightline-programs-"));
  writeFileSync(join(programs, "sightline"), `#!/bin/sh\nexec '${process.execPath}' '${join(root, "apps/platform/sightline.ts")}' "$@"\n`, {
    mode: 0o755,
  });
  folder = mkdtempSync(join(tmpdir(), "sightline-agent-"));
  writeFileSync(join(folder, "agent.py"), AGENT);
  writeFileSync(join(folder, "evals.py"), `from agent import agent\n${snippet("py", "sightline.evaluate")}`);
  git("init", "--quiet", "--initial-branch=main");
  commit("It refunds");
});

afterAll(async () => {
  await browser?.close();
  await product?.interrupt();
  await place?.remove();
  for (const each of [folder, programs].filter(Boolean)) {
    rmSync(each, { recursive: true });
  }
});

test("from a failure to a gate, with the guide's own commands", { timeout: STEP_MS }, async () => {
  const gate = snippet("sh", "sightline eval gate").trim();
  let clicks = 0;
  let commands = 0;
  const click = async (what: Locator) => {
    clicks += 1;
    await what.click();
  };

  expect((await run("python agent.py 3")).status).not.toBe(0);
  const startedAt = performance.now();
  await page.goto(`${product.consoleUrl}/projects/${variables["OBS_PROJECT_ID"]}/issues`);
  // The list is as it was asked; the issue is there within seconds.
  const issue = page.getByRole("link", { name: /KeyError/ });
  const isShown = () =>
    issue.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
  for (let tries = 0; tries < 10 && !(await isShown()); tries += 1) {
    await page.reload();
  }
  await click(issue);
  await click(page.getByRole("button", { name: "Add to dataset" }));
  await page.getByLabel("Name of the new dataset").fill("refunds");
  await page.getByLabel("Expected").fill("ask again");
  await click(page.getByRole("button", { name: "Add", exact: true }));
  await page.getByText("1 item added in version 1").waitFor();

  // As CI did on the branch that failed; it is what the gate compares with.
  expect((await run("python evals.py")).status).toBe(0);
  git("switch", "--quiet", "--create", "mend");
  commands += 1;
  expect((await run("python evals.py")).output).toContain("3 failed");
  const red = await run(gate);
  expect(red, red.output).toMatchObject({ status: 1, output: expect.stringContaining("1 required item failed") });

  writeFileSync(join(folder, "agent.py"), AGENT.replace(...FIX));
  commit("An order without an amount is asked for again");
  commands += 1;
  const green = await run("python evals.py");
  expect(green.output).not.toContain("failed");
  const passed = await run(gate);
  expect(passed, passed.output).toMatchObject({ status: 0 });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`From a failing trace to green: ${clicks} clicks, ${commands} commands and CI's two gates, ${seconds} s`);
  expect(clicks + commands).toBeLessThanOrEqual(5);
  failOn(problems);
});

/** The code of the guide that has this in it. */
function snippet(language: string, having: string): string {
  const found = [...guide.matchAll(/^```(\w+).*\n([\s\S]*?)^```$/gm)].find(([, of, code]) => of === language && code?.includes(having));
  if (found?.[2] === undefined) {
    throw new Error(`docs/evaluation.md has no ${language} with ${having} any more.`);
  }
  return found[2];
}

/** A line of a shell in the agent's folder. */
async function run(line: string): Promise<{ readonly status: number; readonly output: string }> {
  const env = {
    HOME: folder,
    PATH: [programs, join(python, ".."), process.env["PATH"]].join(delimiter),
    PYTHONPATH: join(root, "packages/sdk-python/src"),
    ...variables,
  };
  return new Promise((resolve) => {
    execFile("sh", ["-c", line], { cwd: folder, env, timeout: STEP_MS }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code ?? -1), output: `${stdout}\n${stderr}` });
    });
  });
}

function git(...words: readonly string[]): void {
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words], { cwd: folder });
}

function commit(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}

async function post<Answer>(path: string, body: object, token?: string): Promise<Answer> {
  const answer = await fetch(`${product.consoleUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  expect(answer.ok, `${path} answered ${answer.status}`).toBe(true);
  return (await answer.json()) as Answer;
}
