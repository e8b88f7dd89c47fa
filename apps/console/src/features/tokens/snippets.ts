export type Snippet = {
  readonly id: string;
  readonly client: string;
  /** Where the text goes. */
  readonly place: string;
  readonly text: string;
};

/** What each assistant needs to be told: with a token, or, where it signs in in the browser, the address alone. */
export function snippetsFor(url: string, token?: string): readonly Snippet[] {
  const headers = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
  return [
    {
      id: "claude-code",
      client: "Claude Code",
      place: "Run in a terminal",
      text: `claude mcp add --transport http sightline ${url}${
        token === undefined ? "\nclaude mcp login sightline" : ` \\\n  --header "Authorization: Bearer ${token}"`
      }`,
    },
    {
      id: "cursor",
      client: "Cursor",
      place: "~/.cursor/mcp.json",
      text: json({ mcpServers: { sightline: { url, ...headers } } }),
    },
    {
      id: "vs-code",
      client: "VS Code",
      ...(token === undefined
        ? { place: ".vscode/mcp.json", text: json({ servers: { sightline: { type: "http", url } } }) }
        : {
            place: ".vscode/mcp.json; VS Code asks for the token and keeps it out of the file, which is often committed",
            text: json({
              inputs: [{ type: "promptString", id: "sightline", description: "Sightline developer token", password: true }],
              servers: { sightline: { type: "http", url, headers: { Authorization: "Bearer ${input:sightline}" } } },
            }),
          }),
    },
    {
      id: "windsurf",
      client: "Windsurf",
      place: "~/.codeium/windsurf/mcp_config.json",
      text: json({ mcpServers: { sightline: { serverUrl: url, ...headers } } }),
    },
    {
      id: "codex",
      client: "Codex",
      ...(token === undefined
        ? { place: "Run in a terminal", text: `codex mcp add sightline --url ${url}\ncodex mcp login sightline` }
        : {
            place: "~/.codex/config.toml, and the token in the environment",
            text: `[mcp_servers.sightline]\nurl = "${url}"\nbearer_token_env_var = "SIGHTLINE_TOKEN"\n\n# export SIGHTLINE_TOKEN=${token}`,
          }),
    },
    {
      id: "gemini-cli",
      client: "Gemini CLI",
      place: "~/.gemini/settings.json",
      text: json({ mcpServers: { sightline: { httpUrl: url, ...headers } } }),
    },
    {
      id: "json",
      client: "JSON",
      place: "Any other client of Streamable HTTP",
      text: json({ mcpServers: { sightline: { type: "streamable-http", url, ...headers } } }),
    },
    ...(token === undefined
      ? []
      : [
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
        ]),
  ];
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
