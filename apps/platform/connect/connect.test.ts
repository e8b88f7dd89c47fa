import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { COMMAND_MS } from "#testing/run-command.ts";
import { HIDDEN_TOKEN, makeTemporaryHome, type TemporaryHome } from "#testing/temporary-home.ts";

vi.setConfig({ testTimeout: COMMAND_MS });

let home: TemporaryHome;

beforeEach(async () => {
  home = await makeTemporaryHome();
});

afterEach(() => home.remove());

const CLAUDE = `{
  "numStartups": 7,
  "mcpServers": {
    "notes": { "command": "notes", "env": { "NOTES_KEY": "sk-of-somebody-else" } }
  },
  "projects": { "/src/shop": { "allowedTools": [] } }
}
`;

/** A real file of each assistant: with servers, comments, other settings and every kind of line end. */
const FILES: Readonly<Record<string, string>> = {
  ".claude.json": CLAUDE,
  ".cursor/mcp.json": '{\r\n\t"mcpServers": {\r\n\t\t"notes": { "command": "notes" }\r\n\t}\r\n}\r\n',
  ".config/Code/User/mcp.json": `{
  // Made by hand
  "inputs": [
    { "id": "notes-key", "type": "promptString" }, // asked once
  ],
  "servers": {
    /* "old": {}, */
    "notes": { "type": "stdio", "command": "notes" },
  },
}`,
  ".codex/config.toml":
    '# Mine\nmodel = "o4"\n\n[mcp_servers.notes]\ncommand = "notes" # local\n\n[mcp_servers.notes.env]\nNOTES_KEY = "sk-of-somebody-else"\n',
  ".gemini/settings.json": '{"theme":"Dracula","mcpServers":{}}',
  ".config/opencode/opencode.jsonc": '// opencode\n{\n  "$schema": "https://opencode.ai/config.json",\n  "theme": "system"\n}\n',
  ".codeium/windsurf/mcp_config.json": "",
  ".config/zed/settings.json": `// Zed settings
{
  "theme": "One Dark",
  "context_servers": {
    // none yet
  },
  "vim_mode": true // yes
}
`,
};

const NAMES = ["Claude Code", "Cursor", "VS Code", "Codex", "Gemini CLI", "opencode", "Windsurf", "Zed"];

async function putAll(): Promise<void> {
  await Promise.all(Object.entries(FILES).map(([name, text]) => home.put(name, text)));
}

async function readAll(): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(await Promise.all(Object.keys(FILES).map(async (name) => [name, await home.read(name)])));
}

test("every assistant gets the server and loses it again, byte for byte, however its file is written", async () => {
  await putAll();
  const done = await home.connectWithToken();
  expect(done).toMatchObject({ code: 0, error: "" });
  for (const name of NAMES) {
    expect(done.out).toContain(`Connected ${name}\n`);
  }
  expect(done.out).not.toContain("sk-of-somebody-else");
  const written = await readAll();
  for (const [name, text] of Object.entries(written)) {
    expect(text, name).toContain("https://sightline.example.org/mcp");
    // VS Code asks for the token, and so its file holds none.
    expect(text.includes(HIDDEN_TOKEN), name).toBe(!name.includes("Code"));
    expect(await home.modeOf(name), name).toBe(name.includes("Code") ? 0o644 : 0o600);
  }
  expect(written[".config/Code/User/mcp.json"]).toBe(`{
  // Made by hand
  "inputs": [
    { "id": "notes-key", "type": "promptString" }, // asked once
    {
      "type": "promptString",
      "id": "sightline-token",
      "description": "Sightline developer token",
      "password": true
    },
  ],
  "servers": {
    /* "old": {}, */
    "notes": { "type": "stdio", "command": "notes" },
    "sightline": {
      "type": "http",
      "url": "https://sightline.example.org/mcp",
      "headers": {
        "Authorization": "Bearer \${input:sightline-token}"
      }
    },
  },
}`);

  const again = await home.connectWithToken();
  expect(again).toMatchObject({ code: 0, error: "", out: expect.stringContaining("Nothing to do.") });
  expect(await readAll()).toEqual(written);

  expect(await home.connect(["--undo", "--yes"])).toMatchObject({ code: 0, error: "" });
  expect(await readAll()).toEqual(FILES);
  expect(await Promise.all(Object.keys(FILES).map((name) => home.modeOf(name)))).toEqual(Object.keys(FILES).map(() => 0o644));
  expect(await home.connect(["--undo", "--yes"])).toMatchObject({ code: 0, out: expect.stringContaining("nothing to undo") });
  expect(await readdir(join(home.folder, ".local/state/sightline"))).toEqual([]);
});

test("a dry run shows the lines that would change and writes nothing", async () => {
  await putAll();
  const { code, out } = await home.connectWithToken("--dry-run");
  expect(code).toBe(0);
  expect(out).toContain('+    "sightline": {');
  expect(out).toContain('"Authorization": "Bearer …"');
  expect(out).not.toMatch(/numStartups|sk-of-somebody-else/);
  expect(await readAll()).toEqual(FILES);
  expect(await home.has(".local")).toBe(false);
});

test("from SIGHTLINE_TOKEN the token is in no file of those that read variables, and files that were not there go again", async () => {
  await Promise.all([".claude", ".cursor", ".codex"].map((name) => mkdir(join(home.folder, name))));
  const { code, out } = await home.connect(["--yes"], { environment: { SIGHTLINE_TOKEN: HIDDEN_TOKEN } });
  expect(code).toBe(0);
  expect(out).toContain("SIGHTLINE_TOKEN has to be set wherever these are started");
  expect(parse(await home.read(".cursor/mcp.json"))).toEqual({
    mcpServers: { sightline: { url: "http://localhost:8080/mcp", headers: { Authorization: "Bearer ${env:SIGHTLINE_TOKEN}" } } },
  });
  expect(await home.read(".codex/config.toml")).toBe(
    '[mcp_servers.sightline]\nurl = "http://localhost:8080/mcp"\nbearer_token_env_var = "SIGHTLINE_TOKEN"\n',
  );
  await home.connect(["--undo", "--yes"]);
  expect(await home.has(".claude.json")).toBe(false);
  expect(await home.has(".cursor/mcp.json")).toBe(false);
  expect(await home.has(".codex/config.toml")).toBe(false);
});

test("an assistant whose program is on PATH is found without a folder, and the folder made for it goes again", async () => {
  await home.put("bin/windsurf", "#!/bin/sh\n", 0o755);
  const environment = { PATH: join(home.folder, "bin") };
  expect(await home.connect(["--yes", "--no-token"], { environment })).toMatchObject({ code: 0, out: expect.stringContaining("Windsurf") });
  expect(parse(await home.read(".codeium/windsurf/mcp_config.json"))).toEqual({
    mcpServers: { sightline: { serverUrl: "http://localhost:8080/mcp" } },
  });
  await home.connect(["--undo", "--yes"]);
  expect(await home.has(".codeium")).toBe(false);
});

test("another token replaces the one that was written, and undo still goes back to before the first", async () => {
  await home.put(".claude.json", CLAUDE);
  await home.connect(["--yes", "--token-stdin"], { input: "codeindex_older" });
  const { out } = await home.connectWithToken();
  expect(out).not.toContain("codeindex_older");
  expect(await home.read(".claude.json")).toContain(HIDDEN_TOKEN);
  await home.connect(["--undo", "--yes"]);
  expect(await home.read(".claude.json")).toBe(CLAUDE);
});

test("undo takes the server out of a file that its assistant wrote anew, and leaves one that was changed by hand", async () => {
  await home.put(".claude.json", CLAUDE);
  await home.put(".cursor/mcp.json", "{}");
  await home.connectWithToken();
  const { mcpServers, ...others } = JSON.parse(await home.read(".claude.json")) as Readonly<Record<string, object>>;
  await home.put(".claude.json", JSON.stringify({ mcpServers, ...others, numStartups: 8 }, null, 4));
  const byHand = (await home.read(".cursor/mcp.json")).replace("sightline.example.org", "other.example.org");
  await home.put(".cursor/mcp.json", byHand);

  const undone = await home.connect(["--undo", "--yes"]);
  expect(undone).toMatchObject({
    code: 1,
    error: expect.stringContaining("was changed since; take the server `sightline` out of it by hand"),
  });
  expect(JSON.parse(await home.read(".claude.json"))).toEqual({ ...JSON.parse(CLAUDE), numStartups: 8 });
  expect(await home.read(".cursor/mcp.json")).toBe(byHand);
});

test("a server of the same name that was there before comes back", async () => {
  const before = '{ "mcpServers": { "sightline": { "url": "http://by.hand/mcp", /* mine */ } } }\n';
  await home.put(".cursor/mcp.json", before);
  await home.connectWithToken();
  expect(await home.read(".cursor/mcp.json")).not.toContain("by.hand");
  await home.connect(["--undo", "--yes"]);
  expect(await home.read(".cursor/mcp.json")).toBe(before);
});

test("links are followed, also to a file that is not there yet, and stay links", async () => {
  await home.put("dotfiles/claude.json", CLAUDE, 0o600);
  await symlink("dotfiles/claude.json", join(home.folder, ".claude.json"));
  await mkdir(join(home.folder, ".cursor"));
  await symlink("../dotfiles/cursor.json", join(home.folder, ".cursor/mcp.json"));
  expect(await home.connectWithToken()).toMatchObject({ code: 0 });
  expect((await lstat(join(home.folder, ".claude.json"))).isSymbolicLink()).toBe(true);
  expect(await home.read("dotfiles/claude.json")).toContain("sightline");
  expect(await home.read("dotfiles/cursor.json")).toContain("sightline");
  await home.connect(["--undo", "--yes"]);
  expect(await home.read("dotfiles/claude.json")).toBe(CLAUDE);
  expect(await readdir(join(home.folder, "dotfiles"))).toEqual(["claude.json"]);
});

test("a byte order mark stays where it is", async () => {
  await writeFile(join(home.folder, ".claude.json"), `\uFEFF${CLAUDE}`);
  await home.connectWithToken();
  expect((await readFile(join(home.folder, ".claude.json"), "utf8")).startsWith("\uFEFF{")).toBe(true);
  await home.connect(["--undo", "--yes"]);
  expect(await readFile(join(home.folder, ".claude.json"), "utf8")).toBe(`\uFEFF${CLAUDE}`);
});

test("without a token it says how each assistant signs in", async () => {
  await Promise.all([".codex", ".cursor"].map((name) => mkdir(join(home.folder, name))));
  const { out } = await home.connect(["--yes", "--no-token"]);
  expect(out).toContain("each assistant has to sign in");
  expect(out).toContain("  Codex        codex mcp login sightline\n");
  expect(out).not.toContain("Cursor       ");
  expect(await home.modeOf(".codex/config.toml")).toBe(0o666 & ~process.umask());
});
