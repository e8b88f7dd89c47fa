import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export type ToolReply = { readonly text: string; readonly isError: boolean };

export type McpCaller = {
  /** What `tools/list` says of them, whole. */
  readonly tools: () => Promise<readonly unknown[]>;
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
    tools: async () => (await client.listTools()).tools,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    instructions: () => client.getInstructions(),
    call: async (name, given) => {
      const { content, isError = false } = await client.callTool({ name, arguments: given });
      const [first] = content;
      return { text: first?.type === "text" ? first.text : "", isError };
    },
    close: () => client.close(),
  };
}
