import { afterAll, beforeAll, expect, test } from "vitest";
import { callMcpTool } from "#testing/call-mcp-tool.ts";
import { startCodeIndex, type Indexed, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { countTokens } from "#tokens/count-tokens.ts";

/** Repositories made to overflow an assistant's answers: one item alone is as long as items get. */
let running: RunningCodeIndex;
let long: Indexed;
let token: string;

/** Each character is several tokens. */
const RARE = Array.from({ length: 290 }, (_, at) => String.fromCharCode(0xa500 + ((at * 37) % 290))).join("");
const PATHS = Array.from({ length: 12 }, (_, file) => `${Array.from({ length: 8 }, () => "qz7xk0wvj5".repeat(20)).join("/")}/f${file}.py`);

beforeAll(async () => {
  running = await startCodeIndex();
  const wide = Array.from({ length: 60 }, (_, line) => `needle_${line} = "${RARE}"\n`).join("");
  long = await running.index("acme/long", { "wide.py": wide, ...Object.fromEntries(PATHS.map((path) => [path, "needle = 1\n"])) });
  const author = `--author=${RARE.repeat(5)} <${RARE.repeat(5)}@example.org>`;
  long.source.git("commit", "--amend", "--quiet", author, "--message", `${RARE.repeat(60)}\n\n${RARE.repeat(10)}`);
  const headers = running.asAdmin("one");
  await running.server.inject({ method: "POST", url: `/api/v1/repos/${long.id}/index`, headers, payload: {} });
  token = await running.createToken("one");
}, 60_000);

afterAll(() => running.stop());

test("a line with all its neighbours is no longer than an answer may be", async () => {
  const answer = await callTool("grep", { pattern: "needle_30", context: 10, max_tokens: 400 });
  expect(answer.text).toContain("31: needle_30");
  expect(answer.tokens).toBeLessThan(25_000);
});

test("a commit with as much to say as there can be leaves room for others", async () => {
  const newest = { repo: "acme/long", max_tokens: 400 };
  await expect.poll(async () => (await callTool("commit_search", newest)).text, { timeout: 20_000 }).toContain(RARE.slice(0, 20));
  const answer = await callTool("commit_search", newest);
  expect(answer.text).toMatch(/ 13 files$/mu);
  expect(answer.tokens).toBeLessThan(12_000);
});

async function callTool(name: string, given: Record<string, unknown>): Promise<{ readonly text: string; readonly tokens: number }> {
  const result = await callMcpTool(running, { token, name, given });
  const text = result.content[0]?.text ?? "";
  return { text, tokens: countTokens(text) };
}
