import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { COMMAND_MS, runCommand, type CommandResult } from "#testing/run-command.ts";

vi.setConfig({ testTimeout: COMMAND_MS });

const TOKEN = "codeindex_0123456789abcdef";
const URL_OPTION = ["--url", "https://sightline.example.org/mcp"];

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sightline-connect-"));
});

afterEach(() => rm(home, { recursive: true, force: true }));

type Circumstances = { readonly input?: string; readonly environment?: Readonly<Record<string, string>> };

/** Runs the command in the temporary home, with no program on PATH, and makes sure that it never shows the token. */
async function connect(words: readonly string[], { input, environment }: Circumstances = {}): Promise<CommandResult> {
  const result = await runCommand(["connect", ...words], {
    folder: home,
    environment: { PATH: "", HOME: home, ...environment },
    ...(input === undefined ? {} : { input }),
  });
  expect(result.out + result.error).not.toContain(TOKEN);
  return result;
}

const withToken = (...words: readonly string[]): Promise<CommandResult> =>
  connect([...URL_OPTION, "--yes", "--token-stdin", ...words], { input: `${TOKEN}\n` });

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, name)), { recursive: true });
  await writeFile(join(home, name), text);
}

const read = (name: string): Promise<string> => readFile(join(home, name), "utf8");

const CLAUDE = `{
  "numStartups": 7,
  "mcpServers": {
    "notes": { "command": "notes", "args": ["--all"] }
  },
  "projects": { "/src/shop": { "allowedTools": [] } }
}
`;

test("Claude Code gets the server beside those it has, in a file that only its owner reads, and loses just that again", async () => {
  await put(".claude.json", CLAUDE);
  const done = await withToken();
  expect(done).toMatchObject({ code: 0, error: "" });
  expect(done.out).toContain("Claude Code  ~/.claude.json");
  expect(await read(".claude.json")).toBe(`{
  "numStartups": 7,
  "mcpServers": {
    "notes": { "command": "notes", "args": ["--all"] },
    "sightline": {
      "type": "http",
      "url": "https://sightline.example.org/mcp",
      "headers": {
        "Authorization": "Bearer ${TOKEN}"
      }
    }
  },
  "projects": { "/src/shop": { "allowedTools": [] } }
}
`);
  expect((await stat(join(home, ".claude.json"))).mode & 0o777).toBe(0o600);

  const again = await withToken();
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining("is connected already") });

  const undone = await connect(["--undo", "--yes"]);
  expect(undone).toMatchObject({ code: 0, error: "" });
  expect(await read(".claude.json")).toBe(CLAUDE);
  expect((await stat(join(home, ".claude.json"))).mode & 0o777).toBe(0o644);
  expect(await connect(["--undo", "--yes"])).toMatchObject({ code: 0, out: expect.stringContaining("nothing to undo") });
});

test("a dry run shows the lines that would change and writes nothing", async () => {
  await put(".claude.json", CLAUDE);
  const { code, out } = await connect([...URL_OPTION, "--dry-run", "--token-stdin"], { input: TOKEN });
  expect(code).toBe(0);
  expect(out).toContain('+    "sightline": {');
  expect(out).toContain('"Authorization": "Bearer …"');
  expect(out).not.toContain("numStartups");
  expect(await read(".claude.json")).toBe(CLAUDE);
  await expect(stat(join(home, ".local"))).rejects.toThrow("ENOENT");
});

test("from SIGHTLINE_TOKEN the token is in no file: the assistant reads the variable itself", async () => {
  await put(".claude/settings.json", "{}");
  const { code, out } = await connect([...URL_OPTION, "--yes"], { environment: { SIGHTLINE_TOKEN: TOKEN } });
  expect(code).toBe(0);
  expect(out).toContain("SIGHTLINE_TOKEN, which has to be set wherever they are started");
  expect(JSON.parse(await read(".claude.json"))).toEqual({
    mcpServers: {
      sightline: {
        type: "http",
        url: "https://sightline.example.org/mcp",
        headers: { Authorization: "Bearer ${SIGHTLINE_TOKEN}" },
      },
    },
  });
  await connect(["--undo", "--yes"]);
  await expect(stat(join(home, ".claude.json"))).rejects.toThrow("ENOENT");
});
