export type Snippet = {
  readonly id: string;
  readonly client: string;
  /** Where the text goes. */
  readonly place: string;
  readonly text: string;
};

const PLACEHOLDER = "YOUR_TOKEN";

/** What each assistant needs to be told, with the token filled in where it is known. */
export function snippetsFor(url: string, token: string = PLACEHOLDER): readonly Snippet[] {
  const headers = { Authorization: `Bearer ${token}` };
  return [
    {
      id: "claude-code",
      client: "Claude Code",
      place: "Run in a terminal",
      text: `claude mcp add --transport http sightline ${url} \\\n  --header "Authorization: Bearer ${token}"`,
    },
    {
      id: "cursor",
      client: "Cursor",
      place: "~/.cursor/mcp.json",
      text: json({ mcpServers: { sightline: { url, headers } } }),
    },
    {
      id: "vs-code",
      client: "VS Code",
      place: ".vscode/mcp.json; VS Code asks for the token and keeps it out of the file, which is often committed",
      text: json({
        inputs: [{ type: "promptString", id: "sightline", description: "Sightline developer token", password: true }],
        servers: { sightline: { type: "http", url, headers: { Authorization: "Bearer ${input:sightline}" } } },
      }),
    },
    {
      id: "windsurf",
      client: "Windsurf",
      place: "~/.codeium/windsurf/mcp_config.json",
      text: json({ mcpServers: { sightline: { serverUrl: url, headers } } }),
    },
    {
      id: "codex",
      client: "Codex",
      place: "~/.codex/config.toml, and the token in the environment",
      text: `[mcp_servers.sightline]\nurl = "${url}"\nbearer_token_env_var = "SIGHTLINE_TOKEN"\n\n# export SIGHTLINE_TOKEN=${token}`,
    },
    {
      id: "gemini-cli",
      client: "Gemini CLI",
      place: "~/.gemini/settings.json",
      text: json({ mcpServers: { sightline: { httpUrl: url, headers } } }),
    },
    {
      id: "json",
      client: "JSON",
      place: "Any other client of Streamable HTTP",
      text: json({ mcpServers: { sightline: { type: "streamable-http", url, headers } } }),
    },
    {
      id: "curl",
      client: "curl",
      place: "Lists the tools, to see in a terminal that the address and the token work",
      text: [
        `curl -sS ${url} \\`,
        `  -H "Authorization: Bearer ${token}" \\`,
        `  -H "Content-Type: application/json" -H "Accept: application/json, text/event-stream" \\`,
        `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
      ].join("\n"),
    },
  ];
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
