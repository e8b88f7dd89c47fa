import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { countTokens } from "@sightline/code-index";
import { BLAME, makeFailingAgent, type FailingAgent } from "#testing/failing-agent.ts";
import { connectMcp, type McpCaller } from "#testing/mcp-client.ts";
import { startProduct, type StartedProduct } from "#testing/started-product.ts";

const PASSWORD = "seven green lanterns";
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/u;
const TRACE_TOOLS = ["list_traces", "get_trace", "get_observation", "compare_traces", "trace_stats"];
const EVALUATION_TOOLS = ["list_issues", "get_issue", "list_experiments", "get_experiment", "add_dataset_item", "propose_prompt"];

let product: StartedProduct;
let database: StartedProduct["database"];
let redis: StartedProduct["redis"];
let environment: StartedProduct["environment"];
let agent: FailingAgent;
let admin: string;
let projectId: string;
let repositoryId: string;
const clients: McpCaller[] = [];

beforeAll(async () => {
  agent = await makeFailingAgent("git@github.com:acme/shipping.git");
  product = await startProduct("mcp-traces", {
    ADMIN_EMAIL: "ada@example.org",
    ADMIN_PASSWORD: PASSWORD,
    CODEINDEX_ALLOW_FILE_URLS: "true",
  });
  ({ database, redis, environment } = product);
  admin = await logIn("ada@example.org");
  ({ id: projectId } = await ask("observability", "POST", "/api/v1/projects", { name: "Shipping" }));
  const repository = await ask("code-index", "POST", "/api/v1/repos", { full_name: "acme/shipping", clone_url: agent.url });
  repositoryId = repository.id;
  const publishing = { OBS_REDIS_URL: redis.url, OBS_STREAM_NAME: `${redis.prefix}events`, OBS_PROJECT_ID: projectId };
  await agent.run(publishing, ["sku-1", "sku-404"]);
  await untilItIsThere();
}, 60_000);

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(async () => {
  await product.stop();
  await agent.remove();
});

async function untilItIsThere(): Promise<void> {
  await vi.waitFor(
    async () => {
      const { items } = await ask("observability", "GET", `/api/v1/projects/${projectId}/traces`);
      expect(items).toMatchObject([{ status: "failure" }, { status: "success" }]);
      expect(await ask("code-index", "GET", `/api/v1/repos/${repositoryId}`)).toMatchObject({ index_status: "ready" });
    },
    { timeout: 30_000, interval: 100 },
  );
}

type Part = "identity" | "code-index" | "observability";

const PORTS = { identity: "IDENTITY_PORT", "code-index": "CODEINDEX_PORT", observability: "OBSERVABILITY_PORT" } as const;

function urlOf(part: Part): string {
  return `http://127.0.0.1:${environment[PORTS[part]]}`;
}

async function logIn(email: string): Promise<string> {
  const answer = await fetch(`${urlOf("identity")}/login/access-token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
}

const answerSchema = z.looseObject({ id: z.string().default(""), items: z.array(z.unknown()).catch([]), token: z.string().default("") });

async function ask(part: Part, method: string, path: string, body?: object) {
  const answer = await fetch(`${urlOf(part)}${path}`, {
    method,
    headers: { authorization: `Bearer ${admin}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect({ path, status: answer.status, text }).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
  return answerSchema.parse(text === "" ? {} : JSON.parse(text));
}

async function connect(asked: object = {}): Promise<McpCaller> {
  const { token } = await ask("code-index", "POST", "/api/v1/developer-tokens", { label: "t", ...asked });
  return connectWith(token);
}

async function connectWith(token: string): Promise<McpCaller> {
  const client = await connectMcp(urlOf("code-index"), token);
  clients.push(client);
  return client;
}

async function traces(): Promise<{ readonly failed: string; readonly good: string }> {
  const { items } = await ask("observability", "GET", `/api/v1/projects/${projectId}/traces`);
  const [failed, good] = z.array(z.object({ id: z.string() })).parse(items);
  return { failed: failed?.id ?? "", good: good?.id ?? "" };
}

/** Calls that must succeed, and the tokens of what is asked and answered. */
function countCalls(client: McpCaller) {
  let tokens = 0;
  const call = async (name: string, given: Record<string, unknown>) => {
    const { text, isError } = await client.call(name, given);
    expect({ text, isError }).toMatchObject({ isError: false });
    tokens += countTokens(text) + countTokens(JSON.stringify(given));
    return text;
  };
  return { call, tokens: () => tokens };
}

test("an assistant learns in three calls why an agent's last run failed, and reads the line that is to blame", async () => {
  const client = await connect();
  const { call, tokens } = countCalls(client);

  const listed = await call("list_traces", { query: "name:shipping* status:failure", limit: 1 });
  const trace = UUID.exec(listed)?.[0];

  const outlined = await call("get_trace", { trace });
  expect(outlined).toMatch(
    /failed: act > find_warehouse \(tool, step \w+\)\n.*Cannot read properties of undefined \(reading 'warehouse'\)/u,
  );
  expect(outlined).toContain(`code: acme/shipping@${agent.commit}`);
  const [, repo, path, line = ""] = /at (acme\/shipping)@\w{12} (\S+):(\d+)/u.exec(outlined) ?? [];
  expect([path, line]).toEqual(["src/tools/stock.js", "10"]);

  const read = await call("read_file", { repo, path, start: Math.max(Number(line) - 5, 1), end: Number(line) });
  expect(read).toContain(BLAME);
  expect(read).toContain(`acme/shipping@${agent.commit}`);
  expect(tokens()).toBeLessThan(6_000);
});

/** Twelve items, all good on main; half fail on a branch, each with that trace. */
async function makeExperiments(trace: string): Promise<void> {
  const base = `/api/v1/projects/${projectId}`;
  const { id: dataset } = await ask("observability", "POST", `${base}/datasets`, { name: "refunds" });
  const items = [...Array(12).keys()].map((order) => ({ input: { question: `From where does order ${order} ship?` }, expected: "Bern" }));
  await ask("observability", "POST", `${base}/datasets/${dataset}/items`, { items });
  const listed = await ask("observability", "GET", `${base}/datasets/${dataset}/items`);
  const ids = z.array(z.object({ id: z.string() })).parse(listed.items);
  for (const [branch, failing] of Object.entries({ main: 0, nearest: 6 })) {
    const made = { dataset_id: dataset, name: branch, branch, commit: agent.commit, evaluators: [{ name: "exact" }] };
    const { id } = await ask("observability", "POST", `${base}/experiments`, made);
    const runs = ids.map((item, at) => ({
      item_id: item.id,
      repetition: 0,
      ...(at < failing
        ? { state: "failed", error: "TypeError: no warehouse", trace_id: trace }
        : { state: "succeeded", output: "Bern", scores: [{ name: "exact", value: true }] }),
    }));
    await ask("observability", "POST", `${base}/experiments/${id}/runs`, { runs });
    await ask("observability", "POST", `${base}/experiments/${id}/finish`, {});
  }
}

describe("the tools for evaluation", () => {
  test("are told of to tokens that have the scope, and cost few tokens", async () => {
    expect(await (await connect()).toolNames()).toHaveLength(15);
    const client = await connect({ evaluation: true });
    expect(await client.toolNames()).toEqual(expect.arrayContaining(EVALUATION_TOOLS));
    expect(client.instructions()).toContain("add_dataset_item");
    expect(countTokens(JSON.stringify(await client.tools()))).toBeLessThanOrEqual(6_500);
  });

  test("lead in four calls from “refunds got worse” to the failing items and the line", async () => {
    const { failed } = await traces();
    await makeExperiments(failed);
    const client = await connect({ evaluation: true });
    const { call, tokens } = countCalls(client);
    const experiment = UUID.exec(await call("list_experiments", { dataset: "refunds", limit: 2 }))?.[0];
    const compared = await call("get_experiment", { experiment });
    expect(compared).toMatch(/^score exact: worse, 1 → 0.5, /mu);
    expect(compared.match(/exact 1 → 0$/gmu)).toHaveLength(6);
    const [, repo, path, line = ""] = /at (acme\/shipping)@\w{12} (\S+):(\d+)/u.exec(compared) ?? [];
    await call("get_trace", { trace: failed });
    const read = await call("read_file", { repo, path, start: Math.max(Number(line) - 5, 1), end: Number(line) });
    expect(read).toContain(BLAME);
    expect(tokens()).toBeLessThanOrEqual(3_000);
  });

  test("lead from what fails most to an item of a dataset", async () => {
    const client = await connect({ evaluation: true });
    const listed = await vi.waitFor(
      async () => {
        const { text } = await client.call("list_issues", {});
        expect(text).toMatch(UUID);
        return text;
      },
      { timeout: 20_000, interval: 200 },
    );
    const [[issue], { failed }] = [UUID.exec(listed) ?? [], await traces()];
    const { text } = await client.call("get_issue", { issue });
    expect(text).toContain(`${failed} (typical, newest, shortest)`);
    expect(text).toMatch(/at acme\/shipping@\w{12} src\/tools\/stock.js:10/u);
    const added = await client.call("add_dataset_item", { dataset: "refunds", trace: failed, issue });
    expect(added).toEqual({ isError: false, text: expect.stringMatching(/^Added item .*; the dataset's version is 2 now/u) });
  });
});

describe("the tools for traces", () => {
  test("are five beside the code index's ten, and the instructions name them", async () => {
    const client = await connect();
    expect(await client.toolNames()).toHaveLength(15);
    expect(await client.toolNames()).toEqual(expect.arrayContaining(TRACE_TOOLS));
    expect(client.instructions()).toContain("list_traces");
    // All that tools/list says, schemas and annotations too: every conversation begins with it.
    expect(countTokens(JSON.stringify(await client.tools()))).toBeLessThanOrEqual(4_500);
  });

  test("show a step's input and output", async () => {
    const client = await connect();
    const { failed } = await traces();
    const outlined = await client.call("get_trace", { trace: failed });
    const step = /\(tool, step (\w+)\)/u.exec(outlined.text)?.[1];
    const { text } = await client.call("get_observation", { trace: failed, observation: step });
    expect(text).toContain('{"orderedItem":{"sku":"sku-404"}}');
    expect(text).toContain("TypeError");
  });

  test("tell two runs apart", async () => {
    const client = await connect();
    const { failed, good } = await traces();
    const { text } = await client.call("compare_traces", { a: good, b: failed });
    expect(text).toMatch(/^a: .*: success, [^]*^b: .*: failure, /mu);
    expect(text).toContain("success → failure");
    expect(text).toContain("sku-404");
  });

  test("count runs and steps", async () => {
    const client = await connect();
    await vi.waitFor(
      async () => {
        const { text } = await client.call("trace_stats", { project: "shipping", by: "tool" });
        expect(text).toMatch(/^runs: 2, 1 failed, p50 about .*$[^]*^ {2}find_warehouse: 2, 1 failed/mu);
        expect(text).toContain("p50 and p95 are estimates");
      },
      { timeout: 20_000, interval: 200 },
    );
  });

  test("name the projects there are when one is not known", async () => {
    const client = await connect();
    const { text, isError } = await client.call("list_traces", { project: "Nowhere" });
    expect({ text, isError }).toEqual({ isError: true, text: expect.stringContaining(`it may see: Shipping (${projectId})`) });
  });
});

describe("what a token opens of traces is what its maker may see", () => {
  test("nothing through one that is kept to some repositories, unless it was made to", async () => {
    const kept = await connect({ repositories: [repositoryId] });
    expect(await kept.toolNames()).toHaveLength(10);
    expect(kept.instructions()).not.toContain("traces");
    expect(await kept.call("list_traces", {}).catch(() => ({ isError: true }))).toMatchObject({ isError: true });
    expect(await (await connect({ repositories: [repositoryId], traces: true })).toolNames()).toHaveLength(15);
  });

  test("no more what they could see as an admin when they are one no longer, and nothing when their account is disabled", async () => {
    await database.pool.query(`
      insert into identity.users select (jsonb_populate_record(ada, jsonb_build_object('id', gen_random_uuid(), 'email', 'grace@example.org', 'folded_email', 'grace@example.org'))).*
      from identity.users as ada where email = 'ada@example.org'`);
    const mine = admin;
    admin = await logIn("grace@example.org");
    const client = await connect();
    admin = mine;
    const { failed } = await traces();
    expect(await client.call("get_trace", { trace: failed })).toMatchObject({ isError: false });
    await database.pool.query("update observability.projects set access = 'members'");
    expect(await client.call("get_trace", { trace: failed })).toMatchObject({ isError: false });

    await database.pool.query("update identity.users set role = 'member' where email = 'grace@example.org'");
    expect(await client.call("get_trace", { trace: failed })).toMatchObject({
      isError: true,
      text: expect.stringContaining("no trace of that id"),
    });
    expect((await client.call("list_traces", {})).text).not.toMatch(UUID);
    expect(await client.call("trace_stats", { project: "Shipping" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("may see: none yet"),
    });

    await database.pool.query("update identity.users set disabled_at = now() where email = 'grace@example.org'");
    // At once by what knows people, and a moment later by the token itself.
    const refused = await client.call("list_traces", {}).catch((error: unknown) => ({ isError: true, text: String(error) }));
    expect(refused).toMatchObject({ isError: true, text: expect.not.stringMatching(UUID) });
    await vi.waitFor(() => expect(client.call("list_traces", {})).rejects.toThrow(Error), { timeout: 5_000, interval: 50 });
  });

  test("also with the access token of the console", async () => {
    const client = await connectWith(admin);
    expect(await client.toolNames()).toHaveLength(21);
    expect((await client.call("list_traces", {})).text).toContain("shipping agent");
  });
});
