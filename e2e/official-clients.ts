import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { post, type Session } from "./identity-client.ts";
import { sendSpans } from "./send-spans.ts";
import { freePorts, type Product } from "./product.ts";
import { makeSmallRepository, type SmallRepository } from "./small-repository.ts";

type Person = { readonly email: string; readonly password: string };

type Stage = { readonly product: Product; readonly person: Person };

type Walk = {
  readonly tools: readonly string[];
  readonly answers: readonly { readonly tool: string; readonly failed: boolean; readonly text: string }[];
  readonly scope: string;
  readonly expires_in: number;
  readonly renewed: boolean;
};

const require = createRequire(import.meta.url);
const REPOSITORY = "acme/webshop";
const RETRY = "src/payment/retry-failed-payment.ts";
const READY = { timeout: 90_000, interval: 200 };
const CLIENT_MS = 60_000;

/** Programs that nobody here wrote, let in by OAuth: the official MCP client for Python, and the official conformance suite. */
export function describeOfficialClients(stage: () => Stage): void {
  describe("the official MCP client for Python", () => {
    let python: string;
    let repository: SmallRepository;
    let traces: readonly StoredTrace[];

    beforeAll(async () => {
      python = await pythonWithTheClient();
      repository = makeSmallRepository();
      const { product } = stage();
      const session = await logIn(stage());
      const registration = { full_name: REPOSITORY, clone_url: repository.cloneUrl };
      const { id } = await post<{ id: string }>(`${product.consoleUrl}/api/code-index/api/v1/repos`, registration, session);
      traces = await sendTraces(product, session);
      const indexed = { items: [{ indexed_commit: repository.commit }] };
      await vi.waitFor(async () => expect(await read(product, "code-index/api/v1/repos", session)).toMatchObject(indexed), READY);
      const kept = { commits: [{ commit: repository.commit }] };
      await vi.waitFor(
        async () => expect(await read(product, `code-index/api/v1/repos/${id}/commits`, session)).toMatchObject(kept),
        READY,
      );
    });

    // Later tests of the same product ask for its commits too.
    afterAll(() => void process.once("exit", () => repository?.remove()));

    test("registers, is let in, calls every tool and renews its token", { timeout: CLIENT_MS }, async () => {
      const { product, person } = stage();
      const [one, other] = traces;
      const calls: readonly (readonly [string, object])[] = [
        ["search", { query: "pauseBeforeRetry" }],
        ["grep", { pattern: "LONGEST_PAUSE_MS" }],
        ["read_file", { repo: REPOSITORY, path: RETRY }],
        ["find_symbol", { name: "pauseBeforeRetry" }],
        ["find_references", { symbol: "pauseBeforeRetry" }],
        ["commit_search", { repo: REPOSITORY }],
        ["read_commit", { repo: REPOSITORY, commit: repository?.commit }],
        ["list_files", { repo: REPOSITORY }],
        ["list_repos", {}],
        ["index_status", { repo: REPOSITORY }],
        ["list_traces", {}],
        ["get_trace", { trace: one?.id }],
        ["get_observation", { trace: one?.id, observation: one?.observation }],
        ["compare_traces", { a: one?.id, b: other?.id }],
        ["trace_stats", {}],
      ];
      const given = { console: product.consoleUrl, mcp: `${product.codeIndexUrl}/mcp`, ...person, calls };
      const walk = JSON.parse(await run(python, [join(import.meta.dirname, "mcp_client.py")], JSON.stringify(given))) as Walk;

      expect(walk.tools.toSorted()).toEqual(calls.map(([name]) => name).toSorted());
      expect(walk.answers.filter(({ failed }) => failed)).toEqual([]);
      const textOf = (name: string) => walk.answers.find(({ tool }) => tool === name)?.text;
      expect(textOf("search")).toContain(RETRY);
      expect(textOf("read_file")).toContain("const LONGEST_PAUSE_MS = 60_000;");
      expect(textOf("read_commit")).toMatch(new RegExp(`added ${RETRY} `));
      expect(textOf("list_traces")).toContain(one?.id);
      expect(textOf("get_observation")).toContain("answer a question");
      expect(walk).toMatchObject({ scope: "mcp", expires_in: 3600, renewed: true });
    });
  });

  test("the official conformance suite finds nothing wrong with the authorization server", { timeout: CLIENT_MS }, async () => {
    const { product } = stage();
    const [port = 0] = await freePorts(1);
    const redirect = `http://127.0.0.1:${port}/callback`;
    const registration = { client_name: "Conformance suite", redirect_uris: [redirect] };
    const { client_id: clientId } = await post<{ client_id: string }>(`${product.consoleUrl}/api/identity/oauth/register`, registration);
    const suite = join(dirname(require.resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");
    const words = ["authorization", "--url", product.consoleUrl, "--client-id", clientId, "--resource", `${product.codeIndexUrl}/mcp`];
    const child = spawn(process.execPath, [suite, ...words, "--port", String(port)]);
    const ended = once(child, "close");
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));

    await expect.poll(() => output).toContain("Waiting up to 5 minutes");
    await letIn(stage(), /^http\S+\/oauth\/authorize\?\S+$/m.exec(output)?.[0] ?? "");

    expect([await ended, output]).toEqual([[0, null], expect.stringContaining("Total: 3 passed, 0 failed")]);
  });
}

async function pythonWithTheClient(): Promise<string> {
  const script = fileURLToPath(new URL("../tools/python-environment.sh", import.meta.url));
  const { stdout } = await promisify(execFile)(script, ["e2e/requirements.txt"]);
  return stdout.trim();
}

async function run(program: string, words: readonly string[], input: string): Promise<string> {
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "close");
  let [out, error] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
  child.stdin.end(input);
  expect(await ended, error).toEqual([0, null]);
  return out;
}

function logIn({ product, person }: Stage): Promise<Session> {
  return post<Session>(`${product.consoleUrl}/api/identity/login/access-token`, person);
}

/** What a browser and the person before it do. */
async function letIn(stage: Stage, address: string): Promise<void> {
  const asked = await fetch(address, { redirect: "manual" });
  const cookie = asked.headers
    .getSetCookie()
    .map((line) => line.replace(/;.*/, ""))
    .join("; ");
  const session = await logIn(stage);
  const consented = await fetch(`${asked.headers.get("location")}/consent`, {
    method: "POST",
    headers: { cookie, authorization: `Bearer ${session.access_token}`, "content-type": "application/json" },
    body: JSON.stringify({ decision: "allow", repositories: null, traces: false, days: 1 }),
  });
  const { continue_to: next } = (await consented.json()) as { readonly continue_to: string };
  const back = await fetch(next, { redirect: "manual", headers: { cookie } });
  expect((await fetch(back.headers.get("location") ?? "")).ok).toBe(true);
}

async function read<Answer>(product: Product, path: string, { access_token: token }: Session): Promise<Answer> {
  const answer = await fetch(`${product.consoleUrl}/api/${path}`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as Answer;
}

type StoredSteps = { readonly observation_list: readonly { readonly id: string }[] };
type StoredTrace = { readonly id: string; readonly observation: string };

/** Two traces of a project of their own, as an OpenTelemetry exporter sends them; resolves when both can be read. */
async function sendTraces(product: Product, session: Session): Promise<readonly StoredTrace[]> {
  const projects = `${product.consoleUrl}/api/observability/api/v1/projects`;
  const { id } = await post<{ id: string }>(projects, { name: "Support" }, session);
  const { key } = await post<{ key: string }>(`${projects}/${id}/keys`, { name: "exporter", scopes: ["ingest"] }, session);
  await sendSpans(product.observabilityUrl, key, 2);
  const traces = await vi.waitFor(async () => {
    const { items } = await read<{ items: { id: string }[] }>(product, `observability/api/v1/projects/${id}/traces`, session);
    expect(items).toHaveLength(2);
    return items;
  }, READY);
  return Promise.all(
    traces.map(async (trace) => {
      const { observation_list: steps } = await read<StoredSteps>(product, `observability/api/v1/traces/${trace.id}`, session);
      return { id: trace.id, observation: steps[0]?.id ?? "" };
    }),
  );
}
