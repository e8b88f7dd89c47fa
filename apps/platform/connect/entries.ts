import type { Entry } from "./configuration.ts";
import { valueOf, type JsonValue } from "./json-tree.ts";
import { findInJson } from "./remove-from-json.ts";

/**
 * How an assistant shows who it is. A token from the environment is written as a reference to its variable, which keeps it out of
 * the file; an assistant that knows no such references gets the token itself. `later`: whoever is connected asks for it.
 */
export type Credential = { readonly kind: "none" | "later" } | { readonly kind: "variable" | "token"; readonly token: string };

export type Server = { readonly url: string; readonly credential: Credential };

/** What the documentation of each assistant says of a server over Streamable HTTP, of its headers and of references in them. */
export const TOKEN_VARIABLE = "SIGHTLINE_TOKEN";
const NAME = "sightline";

export function claudeCodeEntries(server: Server): readonly Entry[] {
  return inMcpServers({ type: "http", url: server.url, ...headersOf(server, `\${${TOKEN_VARIABLE}}`) });
}

export function cursorEntries(server: Server): readonly Entry[] {
  return inMcpServers({ url: server.url, ...headersOf(server, `\${env:${TOKEN_VARIABLE}}`) });
}

export function geminiEntries(server: Server): readonly Entry[] {
  return inMcpServers({ httpUrl: server.url, ...headersOf(server, `\${${TOKEN_VARIABLE}}`) });
}

export function windsurfEntries(server: Server): readonly Entry[] {
  return inMcpServers({ serverUrl: server.url, ...headersOf(server, `\${env:${TOKEN_VARIABLE}}`) });
}

/** It knows no references to the environment. */
export function zedEntries(server: Server): readonly Entry[] {
  return [json(["context_servers", NAME], { url: server.url, ...headersOf(server, undefined) })];
}

const INPUT = "sightline-token";

/** It asks for what is secret when the server first starts, and keeps it sealed; a token in the file is what its documentation warns of. */
export function vsCodeEntries({ url, credential }: Server): readonly Entry[] {
  if (credential.kind === "none") {
    return [json(["servers", NAME], { type: "http", url })];
  }
  const input = { type: "promptString", id: INPUT, description: "Sightline developer token", password: true };
  const headers = { Authorization: `Bearer \${input:${INPUT}}` };
  return [json(["inputs", { id: INPUT }], input), json(["servers", NAME], { type: "http", url, headers })];
}

/** Its second version has the servers one level deeper; a file of that shape is gone on with in it. */
export function opencodeEntries(server: Server, text: string): readonly Entry[] {
  const headers = headersOf(server, `{env:${TOKEN_VARIABLE}}`);
  const value = { type: "remote", url: server.url, ...headers };
  const servers = text.trim() === "" ? undefined : findInJson(text, ["mcp", "servers"])?.node;
  const isSecond = servers?.type === "object" && !isServer(valueOf(servers));
  return isSecond ? [json(["mcp", "servers", NAME], value)] : [json(["mcp", NAME], { ...value, enabled: true })];
}

/** A server of the first version may be called “servers”. */
function isServer(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** It rejects a token in the field for one, and takes headers as they are. */
export function codexEntries({ url, credential }: Server): readonly Entry[] {
  const authorization =
    credential.kind === "variable"
      ? { bearer_token_env_var: TOKEN_VARIABLE }
      : credential.kind === "token"
        ? { http_headers: { Authorization: `Bearer ${credential.token}` } }
        : {};
  return [{ kind: "toml", path: ["mcp_servers", NAME], value: { url, ...authorization } }];
}

function json(path: Extract<Entry, { kind: "json" }>["path"], value: JsonValue): Entry {
  return { kind: "json", path, value };
}

function inMcpServers(value: JsonValue): readonly Entry[] {
  return [json(["mcpServers", NAME], value)];
}

function headersOf({ credential }: Server, reference: string | undefined): { readonly headers?: { readonly Authorization: string } } {
  if (!("token" in credential)) {
    return {};
  }
  const written = credential.kind === "variable" && reference !== undefined ? reference : credential.token;
  return { headers: { Authorization: `Bearer ${written}` } };
}
