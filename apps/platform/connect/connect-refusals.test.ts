import { chmod, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { COMMAND_MS } from "#testing/run-command.ts";
import { ASSISTANTS } from "./assistants.ts";
import { HIDDEN_TOKEN, makeTemporaryHome, type TemporaryHome } from "#testing/temporary-home.ts";

vi.setConfig({ testTimeout: COMMAND_MS });

let home: TemporaryHome;

beforeEach(async () => {
  home = await makeTemporaryHome();
});

afterEach(() => home.remove());

const CLAUDE = '{\n  "mcpServers": {\n    "notes": { "command": "notes" }\n  }\n}\n';

test("the help has examples and every assistant, and no option that takes a token", async () => {
  const { code, out } = await home.connect(["--help"]);
  expect(code).toBe(0);
  expect(out).toContain("sightline connect --undo");
  expect(out).toContain(`Assistants: ${ASSISTANTS.map(({ id }) => id).join(", ")}\n`);
  expect(out).not.toContain("--token <");
});

test("what was noted and never written is not looked for: undo forgets it", async () => {
  const before = '{ "mcpServers": { "sightline": { "url": "http://by.hand/mcp" } } }\n';
  await home.put(".cursor/mcp.json", before);
  await home.put(".claude.json", CLAUDE);
  await home.connectWithToken();
  // As after a power cut between the note and the file.
  await home.put(".cursor/mcp.json", before);
  await home.put(".claude.json", CLAUDE);
  expect(await home.connect(["--undo", "--yes"])).toMatchObject({ code: 0, error: "" });
  expect(await home.read(".cursor/mcp.json")).toBe(before);
  expect(await home.read(".claude.json")).toBe(CLAUDE);
  expect(await home.has(".local/state/sightline/connections.json")).toBe(false);
});

test("where nothing can be noted nothing is written", async () => {
  await home.put(".claude.json", CLAUDE);
  await home.put(".local/state", "a file");
  const { code, error } = await home.connectWithToken();
  expect(code).toBe(1);
  expect(error).toContain("connections.json");
  expect(error).toContain("a file is in the place of its folder; move that away");
  expect(await home.read(".claude.json")).toBe(CLAUDE);
});

test("files that do not parse are named with their place and left as they are, and the others are written", async () => {
  await home.put(".claude.json", CLAUDE);
  await home.put(".cursor/mcp.json", '{\n  "mcpServers": {\n    "a": 1\n    "b": 2\n  }\n}\n');
  await home.put(".codex/config.toml", 'model = "o4\n');
  await home.put(".gemini/settings.json", Uint8Array.of(0x7b, 0xff, 0x7d));
  await home.put(".config/zed/settings.json", '{ "context_servers": [] }');
  const { code, error } = await home.connectWithToken();
  expect(code).toBe(1);
  expect(error).toContain("Cursor: ~/.cursor/mcp.json was left as it is at line 4, column 5: it is not valid JSON (comma expected).");
  expect(error).toMatch(/Codex: ~\/\.codex\/config\.toml was left as it is at line 1, column \d+: it is not valid TOML/);
  expect(error).toContain("Gemini CLI: ~/.gemini/settings.json was left as it is: it is not UTF-8.");
  expect(error).toContain('Zed: ~/.config/zed/settings.json was left as it is at line 1, column 22: "context_servers" is not an object.');
  expect(await home.read(".cursor/mcp.json")).not.toContain("sightline");
  expect(await home.read(".codex/config.toml")).toBe('model = "o4\n');
  expect(await home.read(".claude.json")).toContain("sightline");
});

test("a read-only file is left as it is, and says what to do", async () => {
  await home.put(".claude.json", CLAUDE, 0o444);
  const { code, error } = await home.connectWithToken();
  expect(code).toBe(1);
  expect(error).toContain("~/.claude.json was left as it is: it is read-only. Allow writing (chmod u+w)");
  expect(await home.read(".claude.json")).toBe(CLAUDE);
  await chmod(join(home.folder, ".claude.json"), 0o600);
  await mkdir(join(home.folder, ".cursor/mcp.json"), { recursive: true });
  expect((await home.connectWithToken()).error).toContain("Cursor: ~/.cursor/mcp.json can't be read: it is a folder; move it away.");
});

test.for(["", "."])("with HOME=%j nothing of the folder that it runs in is taken for the home", async (HOME) => {
  await home.put(".cursor/mcp.json", "{}");
  const { out } = await home.connect(["--dry-run", "--no-token", "--only", "cursor"], { environment: { HOME } });
  expect(out).not.toMatch(/^Cursor {2}\.cursor/m);
});

test("--only takes some, and says which of them are not here", async () => {
  await Promise.all([".claude.json", ".cursor/mcp.json", ".config/zed/settings.json"].map((name) => home.put(name, CLAUDE)));
  const { code, error } = await home.connectWithToken("--only", "cursor, zed");
  expect({ code, error }).toEqual({ code: 0, error: "" });
  expect(await home.read(".claude.json")).toBe(CLAUDE);
  await home.connect(["--undo", "--yes", "--only", "zed"]);
  expect(await home.read(".config/zed/settings.json")).toBe(CLAUDE);
  expect(await home.read(".cursor/mcp.json")).toContain("sightline");
  const missing = await home.connect(["--yes", "--no-token", "--only", "claude-code"], { environment: { HOME: dirname(home.folder) } });
  expect(missing).toMatchObject({
    code: 1,
    error: expect.stringContaining("Claude Code was not found: no folder of it in your home, no claude on PATH."),
  });
});

test("where nobody can be asked, and wherever it is called wrongly, it ends with 2 and writes nothing", async () => {
  await home.put(".claude.json", CLAUDE);
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [[], "Nobody can be asked here. Add --yes"],
    [["--yes"], "No token: set SIGHTLINE_TOKEN"],
    [["--yes", "--token", HIDDEN_TOKEN], "A token does not belong on the command line"],
    [["--yes", `--token=${HIDDEN_TOKEN}`], "A token does not belong on the command line"],
    [["--yes", "--no-token", "--token-stdin"], "contradict each other"],
    [["--yes", "--no-token", "--only", "emacs"], 'There is no assistant "emacs". The assistants are: claude-code, cursor'],
    [["--yes", "--no-token", "--url", "sightline.example.org"], "must start with https:// or http://"],
    [["--yes", "--no-token", "--url", `https://ada:${HIDDEN_TOKEN}@sightline.example.org`], "must hold no name and no password"],
    [["--yes", "--no-tokens"], "unknown option"],
  ];
  for (const [words, reason] of wrong) {
    expect(await home.connect(words), words.join(" ")).toMatchObject({ code: 2, error: expect.stringContaining(reason) });
  }
  const quoted = await home.connect(["--yes", "--token-stdin"], { input: '"Bearer codeindex_1"' });
  expect(quoted).toMatchObject({ code: 2, error: expect.stringContaining("What came in on stdin is not a token.") });
  expect(await home.read(".claude.json")).toBe(CLAUDE);
});

test("a record of what was written that can't be understood is named, and nothing is written", async () => {
  await home.put(".claude.json", CLAUDE);
  await home.put(".local/state/sightline/connections.json", "{}");
  const { code, error } = await home.connectWithToken();
  expect(code).toBe(1);
  expect(error).toContain("connections.json, which says what was written into which file, can't be understood. Move it away");
  expect(await home.read(".claude.json")).toBe(CLAUDE);
});

test("a machine without assistants is told which were looked for", async () => {
  expect(await home.connectWithToken()).toMatchObject({
    code: 1,
    error: expect.stringContaining("No assistant was found. Looked for Claude Code, Cursor,"),
  });
});
