import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { COMMAND_MS, runCommand } from "#testing/run-command.ts";

vi.setConfig({ testTimeout: COMMAND_MS });

const URL_GIVEN = ["--url", "https://sightline.example.org"];
/** Files as their users have them: with another server, and with comments where the format has some. */
const FILES: Readonly<Record<string, string>> = {
  ".cursor/mcp.json": '{ "mcpServers": { "notes": { "command": "notes" } } }\n',
  ".codex/config.toml": '# Mine\nmodel = "o4"\n\n[mcp_servers.notes]\ncommand = "notes"\n',
  ".config/zed/settings.json": '// Zed settings\n{ "theme": "One Dark", "context_servers": {} }\n',
};

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sightline-connect-"));
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
});

afterEach(() => rm(home, { recursive: true, force: true }));

function connect(...words: readonly string[]) {
  return runCommand(["connect", ...words], { folder: home, environment: { PATH: "", HOME: home, SIGHTLINE_TOKEN: "codeindex_secret" } });
}

async function readAll(): Promise<readonly string[]> {
  return Promise.all(Object.keys(FILES).map((name) => readFile(join(home, name), "utf8")));
}

test("the assistants that are found get the address and no token, keep what they had, and lose the address again", async () => {
  expect(await connect(...URL_GIVEN, "--yes")).toMatchObject({ code: 0, out: expect.stringContaining("Connected Cursor") });
  for (const text of await readAll()) {
    expect(text).toContain("https://sightline.example.org/mcp");
    expect(text).not.toContain("codeindex_secret");
  }
  const [cursor, codex, zed] = await readAll();
  expect(cursor).toContain('"notes"');
  expect(codex).toContain("mcp_servers.notes");
  expect(zed).toContain("// Zed settings");
  expect(await connect("--remove", "--yes")).toMatchObject({ code: 0, out: expect.stringContaining("Removed from Zed") });
  for (const text of await readAll()) {
    expect(text).not.toContain("sightline");
  }
});

test("only the assistants that were named are changed", async () => {
  expect(await connect("cursor", ...URL_GIVEN, "--yes")).toMatchObject({ code: 0, out: expect.not.stringContaining("Codex") });
  expect((await readAll()).filter((text) => text.includes("sightline.example.org"))).toHaveLength(1);
});

test("a file that can't be written is named, and the others are", async () => {
  await rm(join(home, ".cursor/mcp.json"));
  await mkdir(join(home, ".cursor/mcp.json"));
  const result = await connect(...URL_GIVEN, "--yes");
  expect(result).toMatchObject({ code: 1, error: expect.stringMatching(/Cursor: .*mcp\.json could not be changed\./) });
  expect(result.out).toContain("Connected Codex");
});

test.each([
  ["an unknown assistant", ["emacs", ...URL_GIVEN, "--yes"], /There is no assistant "emacs"\. The assistants are: .*claude-code/],
  ["nobody to ask", URL_GIVEN, /Add --yes/],
  ["an address with a password", ["--url", "https://me:secret@sightline.example.org", "--yes"], /holds no name and no password/],
  ["an address of another kind", ["--url", "file:///etc", "--yes"], /starts with https:\/\/ or http:\/\//],
  ["an option that does not exist", ["--tokn"], /unknown option/],
])("%s is refused with 2, and nothing is written", async (_name, words, message) => {
  const before = await readAll();
  const result = await connect(...words);
  expect(result).toMatchObject({ code: 2, error: expect.stringMatching(message) });
  expect(result.error).not.toContain("me:secret");
  expect(await readAll()).toEqual(before);
});
