import { describe, expect, it } from "vitest";
import { callMcpTool, listMcpTools } from "./call-mcp.ts";

const RESULT = { content: [{ type: "text", text: "acme/shop@c1" }] };

/** An endpoint that answers as given and keeps what it was asked. */
function answering(body: string, status = 200) {
  const asked: { url: string; headers: Headers; body: unknown }[] = [];
  return {
    asked,
    fetch: async (url: string, init: RequestInit) => {
      asked.push({ url, headers: new Headers(init.headers), body: await new Response(init.body ?? "null").json() });
      return new Response(body, { status });
    },
  };
}

const call = { name: "search", arguments: { query: "cart" } };

describe("a call of an MCP tool from the console", () => {
  it("stands for itself: with the token given, its revision and its tool in the headers", async () => {
    const endpoint = answering(JSON.stringify({ jsonrpc: "2.0", id: 1, result: RESULT }));
    expect(await callMcpTool(endpoint.fetch, "codeindex_1", call)).toMatchObject({ text: "acme/shop@c1", isError: false, raw: RESULT });
    const [{ url, headers, body }] = endpoint.asked as [(typeof endpoint.asked)[0]];
    expect(url).toBe("/api/code-index/mcp");
    expect(headers.get("authorization")).toBe("Bearer codeindex_1");
    expect([headers.get("mcp-protocol-version"), headers.get("mcp-method"), headers.get("mcp-name")]).toEqual([
      "2026-07-28",
      "tools/call",
      "search",
    ]);
    expect(body).toMatchObject({ method: "tools/call", params: call });
  });

  it("reads the answer at the end of a stream, after its progress", async () => {
    const stream = [
      { method: "notifications/progress", params: {} },
      { id: 1, result: { ...RESULT, isError: true } },
    ]
      .map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`)
      .join("");
    expect(await callMcpTool(answering(stream).fetch, "t", call)).toMatchObject({ text: "acme/shop@c1", isError: true });
  });

  it("lists the tools with what they take", async () => {
    const tools = [{ name: "search", inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] } }];
    const found = await listMcpTools(answering(JSON.stringify({ id: 1, result: { tools } })).fetch, "t");
    expect(found).toEqual([
      { name: "search", description: "", inputSchema: { properties: { query: { type: "string" } }, required: ["query"] } },
    ]);
  });

  it.each([
    [JSON.stringify({ error: "auth_failed", message: "The token was refused." }), 401, "The token was refused."],
    [JSON.stringify({ id: 1, error: { code: -32602, message: "Unknown tool: nothing" } }), 200, "Unknown tool: nothing"],
    ["<html>", 200, "something else than MCP"],
  ])("fails with what the endpoint says: %s", async (body, status, message) => {
    await expect(callMcpTool(answering(body, status).fetch, "t", call)).rejects.toThrow(message);
  });
});
