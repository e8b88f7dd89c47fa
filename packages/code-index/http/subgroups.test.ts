import { afterAll, beforeAll, expect, test } from "vitest";
import { callMcpTool } from "#testing/call-mcp-tool.ts";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let token: string;

beforeAll(async () => {
  running = await startCodeIndex();
  await running.index("group/sub/project", { "src/pay.ts": "export function charge() {}\n" });
  token = await running.createToken();
});

afterAll(() => running.stop());

async function ask(method: string, params: object): Promise<string> {
  const headers = {
    host: "localhost",
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  const { body } = await running.server.inject({
    method: "POST",
    url: "/mcp",
    headers,
    payload: { jsonrpc: "2.0", id: 1, method, params },
  });
  return body;
}

test("a repository below several groups is searched and read by its whole name", async () => {
  const call = async (name: string, given: Record<string, unknown>) =>
    (await callMcpTool(running, { token, name, given })).content[0]?.text;
  expect(await call("grep", { pattern: "charge", repo: "group/sub/project" })).toContain("1: export function charge() {}");
  expect(await call("find_symbol", { name: "charge", repo: "Group/Sub/Project" })).toContain("group/sub/project");
  expect(await call("search", { query: "charge repo:group/sub/project" })).toContain("src/pay.ts");
  expect(await call("read_file", { repo: "group/sub/project", path: "src/pay.ts" })).toContain("charge");
});

test("its files are resources, and completed", async () => {
  expect(await ask("resources/read", { uri: "sightline://group/sub%2Fproject/HEAD/src/pay.ts" })).toContain("export function charge");
  const ref = { type: "ref/resource", uri: "sightline://{owner}/{name}/{ref}/{+path}" };
  const completed = await ask("completion/complete", {
    ref,
    argument: { name: "name", value: "su" },
    context: { arguments: { owner: "group" } },
  });
  expect(completed).toContain('"sub/project"');
});
