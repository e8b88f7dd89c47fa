import { expect, test } from "vitest";
import { ASSISTANTS } from "./assistants.ts";
import type { Credential } from "./entries.ts";
import { shortened, type Machine } from "./places.ts";

const linux: Machine = { platform: "linux", home: "/home/ada", environment: {} };
const mac: Machine = { platform: "darwin", home: "/Users/ada", environment: {} };
const windows: Machine = { platform: "win32", home: "C:\\Users\\ada", environment: { APPDATA: "C:\\Users\\ada\\AppData\\Roaming" } };

const filesOn = (machine: Machine): Readonly<Record<string, string>> =>
  Object.fromEntries(ASSISTANTS.map(({ id, files }) => [id, shortened(machine, files(machine).at(-1) ?? "")]));

test("each system has the files where its assistants look for them", () => {
  expect(filesOn(linux)).toEqual({
    "claude-code": "~/.claude.json",
    cursor: "~/.cursor/mcp.json",
    "vs-code": "~/.config/Code/User/mcp.json",
    codex: "~/.codex/config.toml",
    "gemini-cli": "~/.gemini/settings.json",
    opencode: "~/.config/opencode/opencode.json",
    windsurf: "~/.codeium/windsurf/mcp_config.json",
    zed: "~/.config/zed/settings.json",
  });
  expect(filesOn(mac)).toEqual({ ...filesOn(linux), "vs-code": "~/Library/Application Support/Code/User/mcp.json" });
  expect(filesOn(windows)).toEqual({
    "claude-code": "~\\.claude.json",
    cursor: "~\\.cursor\\mcp.json",
    "vs-code": "~\\AppData\\Roaming\\Code\\User\\mcp.json",
    codex: "~\\.codex\\config.toml",
    "gemini-cli": "~\\.gemini\\settings.json",
    opencode: "~\\.config\\opencode\\opencode.json",
    windsurf: "~\\.codeium\\windsurf\\mcp_config.json",
    zed: "~\\AppData\\Roaming\\Zed\\settings.json",
  });
});

test("folders that their user moved are looked for where they are", () => {
  const environment = {
    CLAUDE_CONFIG_DIR: "/srv/claude",
    CODEX_HOME: "/srv/codex",
    GEMINI_CLI_HOME: "/srv/gemini",
    XDG_CONFIG_HOME: "/srv/config",
  };
  expect(filesOn({ ...linux, environment })).toMatchObject({
    "claude-code": "/srv/claude/.claude.json",
    codex: "/srv/codex/config.toml",
    "gemini-cli": "/srv/gemini/.gemini/settings.json",
    opencode: "/srv/config/opencode/opencode.json",
    "vs-code": "/srv/config/Code/User/mcp.json",
    zed: "/srv/config/zed/settings.json",
  });
});

const writtenFor = (credential: Credential): Readonly<Record<string, unknown>> =>
  Object.fromEntries(ASSISTANTS.map(({ id, entries }) => [id, entries({ url: "https://s.example/mcp", credential }, "").at(-1)?.value]));

test("each assistant gets the server in the form that its documentation has, with the token itself", () => {
  const headers = { Authorization: "Bearer codeindex_1" };
  expect(writtenFor({ kind: "token", token: "codeindex_1" })).toEqual({
    "claude-code": { type: "http", url: "https://s.example/mcp", headers },
    cursor: { url: "https://s.example/mcp", headers },
    "vs-code": { type: "http", url: "https://s.example/mcp", headers: { Authorization: "Bearer ${input:sightline-token}" } },
    codex: { url: "https://s.example/mcp", http_headers: headers },
    "gemini-cli": { httpUrl: "https://s.example/mcp", headers },
    opencode: { type: "remote", url: "https://s.example/mcp", headers, enabled: true },
    windsurf: { serverUrl: "https://s.example/mcp", headers },
    zed: { url: "https://s.example/mcp", headers },
  });
});

test("a token from the environment is a reference in every file but Zed's, which can hold none", () => {
  const written = writtenFor({ kind: "variable", token: "codeindex_1" });
  const references = Object.entries(written).map(([id, value]) => [
    id,
    /"(?:Bearer )?([^"]*SIGHTLINE_TOKEN[^"]*)"/.exec(JSON.stringify(value))?.[1],
  ]);
  expect(Object.fromEntries(references)).toEqual({
    "claude-code": "${SIGHTLINE_TOKEN}",
    cursor: "${env:SIGHTLINE_TOKEN}",
    "vs-code": undefined,
    codex: "SIGHTLINE_TOKEN",
    "gemini-cli": "${SIGHTLINE_TOKEN}",
    opencode: "{env:SIGHTLINE_TOKEN}",
    windsurf: "${env:SIGHTLINE_TOKEN}",
    zed: undefined,
  });
  expect(Object.entries(written).flatMap(([id, value]) => (JSON.stringify(value).includes("codeindex_1") ? [id] : []))).toEqual(["zed"]);
});

test("without a token nothing is written but the address", () => {
  expect(JSON.stringify(writtenFor({ kind: "none" }))).not.toMatch(/Authorization|TOKEN|input/);
});

test("a file of opencode's second version is gone on with in its own form", () => {
  const opencode = ASSISTANTS.find(({ id }) => id === "opencode");
  const entry = opencode?.entries({ url: "https://s.example/mcp", credential: { kind: "none" } }, '{ "mcp": { "servers": { "a": {} } } }');
  expect(entry).toEqual([{ kind: "json", path: ["mcp", "servers", "sightline"], value: { type: "remote", url: "https://s.example/mcp" } }]);
  const first = opencode?.entries(
    { url: "https://s.example/mcp", credential: { kind: "none" } },
    '{ "mcp": { "servers": { "type": "remote" } } }',
  );
  expect(first?.[0]?.path).toEqual(["mcp", "sightline"]);
});
