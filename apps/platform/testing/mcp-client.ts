import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export type ToolReply = { readonly text: string; readonly structured: unknown; readonly isError: boolean };

export type McpCaller = {
  readonly toolNames: () => Promise<readonly string[]>;
  readonly instructions: () => string | undefined;
  readonly call: (name: string, given: Record<string, unknown>) => Promise<ToolReply>;
  readonly close: () => Promise<void>;
};

/** The protocol's own client, as assistants have it. */
export async function connectMcp(url: string, token: string): Promise<McpCaller> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return {
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    instructions: () => client.getInstructions(),
    call: async (name, given) => {
      const { content, structuredContent: structured, isError = false } = await client.callTool({ name, arguments: given });
      const [first] = content;
      return { text: first?.type === "text" ? first.text : "", structured, isError };
    },
    close: () => client.close(),
  };
}
