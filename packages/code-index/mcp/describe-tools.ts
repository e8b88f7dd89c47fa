import { createLog } from "@sightline/foundation/log";
import { z } from "zod";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import { addPluginTools, type PluginTools, createCodeIndexServer } from "./server.ts";
import { createMcpEndpoint } from "./handler.ts";
import type { ToolContext } from "#mcp/kit/tool.ts";
import { withinThisProcess } from "#mcp/kit/running-calls.ts";

const fieldsSchema = z.object({
  properties: z.record(z.string(), z.looseObject({})).default({}),
  required: z.array(z.string()).default([]),
});
const toolSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  inputSchema: fieldsSchema,
  outputSchema: fieldsSchema,
});
const listSchema = z.object({ result: z.object({ tools: z.array(toolSchema) }) });

export type DescribedTool = z.infer<typeof toolSchema>;

/** Every tool of `/mcp`, plug-in tools included, as clients see them. No database is read. */
export async function describeTools(plugin: PluginTools): Promise<readonly DescribedTool[]> {
  // Tools read their context only when called, and none is called here.
  const inert = {} as ToolContext;
  const endpoint = createMcpEndpoint({
    log: createLog({ name: "tools", level: "error", destination: process.stderr }),
    cancellations: withinThisProcess,
    createServer: async () => {
      const server = await createCodeIndexServer({ ...inert, version: "0", person: undefined, plugin: undefined });
      addPluginTools(server, inert, { plugin, person: { tenantId: "", userId: "" } });
      return server;
    },
  });
  const access = { tenant: { tenantId: "" } } as Access;
  const opens = { access, person: undefined };
  const answer = await endpoint.serve({ request: listRequest(), gone: new AbortController().signal, opens, caller: "" });
  const list = listSchema.parse(await answer.json());
  await endpoint.close();
  return list.result.tools;
}

const REVISION = "2026-07-28";

function listRequest(): Request {
  const told = "io.modelcontextprotocol";
  const meta = {
    [`${told}/protocolVersion`]: REVISION,
    [`${told}/clientInfo`]: { name: "reference", version: "1" },
    [`${told}/clientCapabilities`]: {},
  };
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": REVISION,
      "mcp-method": "tools/list",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } }),
  });
}
