import type { RunningCodeIndex } from "./running-code-index.ts";

type ToolCall = { readonly token: string; readonly name: string; readonly given: Record<string, unknown> };

type ToolReply = { readonly content: readonly { readonly text: string }[] };

/** Calls a tool as plain JSON-RPC, without a client and a socket. */
export async function callMcpTool({ server }: RunningCodeIndex, { token, name, given }: ToolCall): Promise<ToolReply> {
  const reply = await server.inject({
    method: "POST",
    url: "/mcp",
    headers: {
      host: "localhost",
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    payload: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
  });
  const [, data] = /^data: (.*)$/m.exec(reply.body) ?? [];
  return (JSON.parse(data ?? reply.body) as { readonly result: ToolReply }).result;
}
