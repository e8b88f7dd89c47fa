import type { Entry } from "./configuration.ts";
import { inApplicationData, inConfig, inHome, movable, pathsOf, type Machine } from "./places.ts";
import {
  claudeCodeEntries,
  codexEntries,
  cursorEntries,
  geminiEntries,
  opencodeEntries,
  vsCodeEntries,
  windsurfEntries,
  zedEntries,
  type Server,
} from "./entries.ts";

export type Assistant = {
  readonly id: string;
  readonly name: string;
  /** Its user's own configuration files; the first that is there is written, or else the last. */
  readonly files: (machine: Machine) => readonly string[];
  /** Folders and files that show that it was used here. */
  readonly traces: (machine: Machine) => readonly string[];
  readonly programs: readonly string[];
  /** What is written; `text` is the file as it is. */
  readonly entries: (server: Server, text: string) => readonly Entry[];
  /** Where its token is when that comes from the environment: it reads the variable, its file holds it, or it asks. */
  readonly token: "reads" | "holds" | "asks";
  /** The command that signs in by OAuth, of those that do not ask by themselves. */
  readonly signIn?: string;
};

export const ASSISTANTS: readonly Assistant[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    files: (machine) => [pathsOf(machine).join(movable(machine, "CLAUDE_CONFIG_DIR"), ".claude.json")],
    traces: (machine) => [movable(machine, "CLAUDE_CONFIG_DIR", ".claude")],
    programs: ["claude"],
    entries: claudeCodeEntries,
    token: "reads",
    signIn: "claude mcp login sightline",
  },
  {
    id: "cursor",
    name: "Cursor",
    files: (machine) => [inHome(machine, ".cursor", "mcp.json")],
    traces: (machine) => [inHome(machine, ".cursor")],
    programs: ["cursor", "cursor-agent"],
    entries: cursorEntries,
    token: "reads",
  },
  {
    id: "vs-code",
    name: "VS Code",
    files: (machine) => [inApplicationData(machine, "Code", "User", "mcp.json")],
    traces: (machine) => [inApplicationData(machine, "Code", "User")],
    programs: ["code"],
    entries: vsCodeEntries,
    token: "asks",
  },
  {
    id: "codex",
    name: "Codex",
    files: (machine) => [pathsOf(machine).join(movable(machine, "CODEX_HOME", ".codex"), "config.toml")],
    traces: (machine) => [movable(machine, "CODEX_HOME", ".codex")],
    programs: ["codex"],
    entries: codexEntries,
    token: "reads",
    signIn: "codex mcp login sightline",
  },
  {
    id: "gemini-cli",
    name: "Gemini CLI",
    files: (machine) => [pathsOf(machine).join(movable(machine, "GEMINI_CLI_HOME"), ".gemini", "settings.json")],
    traces: (machine) => [pathsOf(machine).join(movable(machine, "GEMINI_CLI_HOME"), ".gemini")],
    programs: ["gemini"],
    entries: geminiEntries,
    token: "reads",
    signIn: "/mcp auth sightline, within it",
  },
  {
    id: "opencode",
    name: "opencode",
    // Of both the one with comments counts for more.
    files: (machine) => ["opencode.jsonc", "opencode.json"].map((name) => inConfig(machine, "opencode", name)),
    traces: (machine) => [inConfig(machine, "opencode")],
    programs: ["opencode"],
    entries: opencodeEntries,
    token: "reads",
    signIn: "opencode mcp auth sightline",
  },
  {
    id: "windsurf",
    name: "Windsurf",
    files: (machine) => [inHome(machine, ".codeium", "windsurf", "mcp_config.json")],
    traces: (machine) => [inHome(machine, ".codeium", "windsurf")],
    programs: ["windsurf"],
    entries: windsurfEntries,
    token: "reads",
  },
  {
    id: "zed",
    name: "Zed",
    files: (machine) => [pathsOf(machine).join(folderOfZed(machine), "settings.json")],
    traces: (machine) => [folderOfZed(machine)],
    // Not `zed`: where ZFS is, that is its event daemon.
    programs: ["zeditor"],
    entries: zedEntries,
    token: "holds",
  },
];

/** Only on Linux it may be moved, and only on Windows it is among the data of applications. */
function folderOfZed(machine: Machine): string {
  switch (machine.platform) {
    case "win32":
      return inApplicationData(machine, "Zed");
    case "darwin":
      return inHome(machine, ".config", "zed");
    default:
      return inConfig(machine, "zed");
  }
}
