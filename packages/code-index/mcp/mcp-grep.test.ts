import { afterAll, beforeAll, expect, test } from "vitest";
import { grepRequestSchema } from "#contract.ts";
import { createGrepLimit, grep } from "#retrieval/grep/grep.ts";
import { findTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { grepFiles } from "#testing/grep-files.ts";
import { seedBuild } from "#testing/seed-build.ts";
import { callMcpTool } from "#testing/call-mcp-tool.ts";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { createIndexMemory } from "#retrieval/scope/index-memory.ts";

let running: RunningCodeIndex;
const grepLimit = createGrepLimit();
let tenant: Tenant;

beforeAll(async () => {
  running = await startCodeIndex();
  tenant = (await findTenant(running.database, "one")) as Tenant;
  await seedBuild(running.database, { tenant, repo: "acme/grep", files: grepFiles() });
});

afterAll(() => running.stop());

test.for([500, 2_000, 12_000])(
  "an answer of %i tokens to an assistant keeps to them, and its cursor goes on where it was cut",
  async (maxTokens) => {
    const token = await running.createToken("one");
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const given = {
        pattern: "foo",
        case: "insensitive",
        repo: "acme/grep",
        context: 1,
        max_tokens: maxTokens,
        ...(cursor === undefined ? {} : { cursor }),
      };
      const result = await callMcpTool(running, { token, name: "grep", given });
      const text = result.content[0]?.text ?? "";
      expect(countTokens(text)).toBeLessThanOrEqual(maxTokens);
      let file = "";
      for (const line of text.split("\n")) {
        file = /^acme\/grep(?:@\S+)? (.+)$/u.exec(line)?.[1] ?? file;
        const number = /^ {2}(\d+): /u.exec(line)?.[1];
        found.push(...(number === undefined ? [] : [`${file}:${number}`]));
      }
      cursor = /^cursor: (.+)$/mu.exec(text)?.[1] ?? null;
      // Where there was no time to count them, a page says nothing of the others; the last one always knows.
      expect(text).toMatch(cursor === null ? new RegExp(`^\\d+ of ${found.length} matching lines:`) : /^\d+ (?:of \d+ )?matching lines:/);
    }
    const request = grepRequestSchema.parse({ pattern: "foo", case: "insensitive", limit: 1_000 });
    const whole = await grep({ limit: grepLimit, memory: createIndexMemory(), database: running.database }, { tenant }, request);
    expect(found).toEqual(whole.files.flatMap(({ path, matches }) => matches.map(({ line }) => `${path}:${line}`)));
  },
);

test("an assistant is told what is wrong with a pattern, and that it was not read as an expression", async () => {
  const token = await running.createToken("one");
  expect(await callMcpTool(running, { token, name: "grep", given: { pattern: "a(", regex: true } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("missing closing )") }],
  });
  expect((await callMcpTool(running, { token, name: "grep", given: { pattern: "func.*Append" } })).content[0]?.text).toMatch(
    /No line matches[^]*set regex/,
  );
});

test("numbers and truths that a model writes as texts are taken; texts that look so stay texts", async () => {
  const token = await running.createToken("one");
  const ask = async (given: Record<string, unknown>) => callMcpTool(running, { token, name: "grep", given });
  // How many there are beside the page is counted as far as there is time.
  const listed = async (given: Record<string, unknown>) =>
    (await ask(given)).content[0]?.text?.replaceAll(/^(\d+) of \d+|^cursor: .*/gm, "$1");
  const asTexts = await listed({ pattern: "foo", limit: "2", regex: "true", context: "0", max_tokens: "900" });
  expect(asTexts).toBe(await listed({ pattern: "foo", limit: 2, regex: true, context: 0, max_tokens: 900 }));
  expect(asTexts).toMatch(/^2 matching lines:/);
  expect((await ask({ pattern: "33" })).content[0]?.text).toContain("return 33");
  expect(await ask({ pattern: "33", limit: "", cursor: "", ref: null })).toEqual(await ask({ pattern: "33" }));
  for (const limit of ["many", "1.5", "100000"]) {
    expect(await ask({ pattern: "foo", limit })).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("limit") }] });
  }
});

test("of a tenant's many greps a few hold connections at once, and all are answered", async () => {
  const { pool } = running.database;
  const request = grepRequestSchema.parse({ pattern: "[a-z].*[0-9]", regex: true });
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, pool.totalCount - pool.idleCount)), 1);
  const answers = await Promise.all(
    Array.from({ length: 30 }, () =>
      grep({ limit: grepLimit, memory: createIndexMemory(), database: running.database }, { tenant }, request),
    ),
  );
  clearInterval(watch);
  expect(answers.every(({ matches }) => matches === request.limit)).toBe(true);
  // Three of them, and what else the process does meanwhile.
  expect({ most, few: most > 0 && most < 7 }).toMatchObject({ few: true });
});
