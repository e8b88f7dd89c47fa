import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";

vi.setConfig({ testTimeout: COMMAND_MS, hookTimeout: COMMAND_MS });

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sightline-scip-"));
  await writeFile(join(folder, "index.scip"), "x");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const TOKEN = "codeindex_secret";
const NAMED = ["--repo", "acme/shop", "--commit", "a".repeat(40)];

test.for([
  ["no token", ["index.scip", ...NAMED], {}, 2, /set SIGHTLINE_TOKEN/],
  ["a token of two lines", ["index.scip", ...NAMED], { SIGHTLINE_TOKEN: `${TOKEN}\nx` }, 2, /SIGHTLINE_TOKEN is not a token/],
  ["no checkout", ["index.scip"], { SIGHTLINE_TOKEN: TOKEN }, 2, /is no git checkout: name the repository with --repo/],
  [
    "what GitLab says of a folder without git",
    ["index.scip", "--url", "http://127.0.0.1:9"],
    { SIGHTLINE_TOKEN: TOKEN, CI_PROJECT_PATH: "group/sub/shop", CI_COMMIT_SHA: "b".repeat(40) },
    1,
    /does not answer/,
  ],
  ["no file", ["none.scip", ...NAMED], { SIGHTLINE_TOKEN: TOKEN }, 2, /none\.scip can't be read/],
  [
    "nobody there",
    ["index.scip", ...NAMED, "--url", "http://127.0.0.1:9/mcp"],
    { SIGHTLINE_TOKEN: TOKEN },
    1,
    /^http:\/\/127\.0\.0\.1:9 does not answer/,
  ],
] as const)("%s is said, and the token is not shown", async ([, words, environment, code, expected]) => {
  const result = await runCommand(["upload-scip", ...words], { folder, environment });
  expect(result).toMatchObject({ code, error: expect.stringMatching(expected) });
  expect(result.error).not.toContain(TOKEN);
});
