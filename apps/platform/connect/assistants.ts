import type { Entry } from "./configuration.ts";
import { inHome, movable, pathsOf, type Machine } from "./places.ts";

/**
 * How the assistant shows who it is. A token from the environment is written as a reference to its variable, which keeps it out of
 * the file; an assistant that knows no such references gets the token itself.
 */
export type Credential = { readonly kind: "none" } | { readonly kind: "variable" | "token"; readonly token: string };

export type Server = { readonly url: string; readonly credential: Credential };

export type Assistant = {
  readonly id: string;
  readonly name: string;
  /** Its user's own configuration files, the first of which that is there is written, or else the last. */
  readonly files: (machine: Machine) => readonly string[];
  /** Folders and files that show that it was used here. */
  readonly traces: (machine: Machine) => readonly string[];
  readonly programs: readonly string[];
  /** What is written; `text` is the file as it is. */
  readonly entries: (server: Server, text: string) => readonly Entry[];
  /** How the file refers to an environment variable; undefined when its documentation knows no way. */
  readonly reference?: (variable: string) => string;
};

export const TOKEN_VARIABLE = "SIGHTLINE_TOKEN";
const NAME = "sightline";

const claudeCode: Assistant = {
  id: "claude-code",
  name: "Claude Code",
  files: (machine) => [pathsOf(machine).join(movable(machine, "CLAUDE_CONFIG_DIR"), ".claude.json")],
  traces: (machine) => [movable(machine, "CLAUDE_CONFIG_DIR", ".claude"), inHome(machine, ".claude.json")],
  programs: ["claude"],
  reference: (variable) => `\${${variable}}`,
  entries: (server) => [inMcpServers({ type: "http", url: server.url, ...headersOf(server, claudeCode) })],
};

export const ASSISTANTS: readonly Assistant[] = [claudeCode];

function inMcpServers(value: Readonly<Record<string, string | Readonly<Record<string, string>>>>): Entry {
  return { kind: "json", path: ["mcpServers", NAME], value };
}

function headersOf({ credential }: Server, { reference }: Assistant): { readonly headers?: { readonly Authorization: string } } {
  if (credential.kind === "none") {
    return {};
  }
  const written = credential.kind === "variable" && reference !== undefined ? reference(TOKEN_VARIABLE) : credential.token;
  return { headers: { Authorization: `Bearer ${written}` } };
}
