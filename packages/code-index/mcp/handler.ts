import { randomUUID } from "node:crypto";
import { createMcpHandler, type AuthInfo, type McpHttpHandler, type McpServer } from "@modelcontextprotocol/server";
import { parseJson } from "@sightline/foundation/parse-json";
import type { Logger } from "@sightline/foundation/log";
import { z } from "zod";
import type { Access } from "#store/tenancy/read-scope.store.ts";
import type { Person } from "#http/kit/request-tenant.ts";
import { createRunningCalls, type Cancellations } from "#mcp/kit/running-calls.ts";

/** An HTTP request to `/mcp`, from somebody whose token was verified. */
export type McpRequest = {
  readonly request: Request;
  /** Aborted when the answer was sent or the client has gone. */
  readonly gone: AbortSignal;
  readonly opens: Opening;
  /** Names the token, or the person, among all others. */
  readonly caller: string;
};

/** What the token opens: code, and whatever other parts' tools show to `person`. */
export type Opening = { readonly access: Access; readonly person: Person | undefined };

export type McpEndpoint = {
  readonly serve: (incoming: McpRequest) => Promise<Response>;
  readonly close: () => Promise<void>;
};

type Options = {
  /** A fresh server for each request, which sees what the request's token opens. */
  readonly createServer: (opens: Opening) => McpServer | Promise<McpServer>;
  readonly cancellations: Cancellations;
  readonly log: Logger;
  /** The fields of the tools' inputs, at any depth, whose numbers are taken as they were written. */
  readonly exactValues?: ReadonlySet<string>;
};

const SESSION = "mcp-session-id";

/**
 * Serves MCP 2025-11-25 and the stateless 2026-07-28 at once. Nothing is kept between requests: a session of the older
 * revision is a name that its client repeats, by which a cancellation finds the call it is about.
 */
export function createMcpEndpoint({ createServer, cancellations, log, exactValues }: Options): McpEndpoint {
  // Keyed by the very object that goes in with a request, so that a server can't get at what another request may see.
  const openings = new WeakMap<AuthInfo, Opening>();
  const calls = createRunningCalls({ cancellations, log });
  // A Request that nobody references is garbage collected, and its signal is then never aborted.
  const held = new Set<Request>();

  const handler: McpHttpHandler = createMcpHandler(
    async ({ authInfo, requestInfo }) => {
      const opens = authInfo === undefined ? undefined : openings.get(authInfo);
      if (opens === undefined) {
        throw new Error("an MCP request came without its tenant");
      }
      const server = await createServer(opens);
      // The library listens from here on, and does not look whether it is too late.
      requestInfo?.signal.throwIfAborted();
      return server;
    },
    { onerror: (error) => log.debug({ reason: error.message }, "an MCP request was refused") },
  );

  return {
    close: handler.close,
    serve: async ({ request, gone, opens, caller }) => {
      // The token itself ends at the authenticator.
      const authInfo: AuthInfo = { token: "", clientId: opens.access.tenant.tenantId, scopes: [] };
      openings.set(authInfo, opens);
      const body = await bodyOf(request, exactValues);
      if (Array.isArray(body)) {
        return refusedBatch();
      }
      const message = messageSchema.safeParse(body).data;
      const session = request.headers.get(SESSION);
      if (message?.method === "notifications/cancelled" && message.params?.requestId !== undefined) {
        await calls.cancel({ caller, session, id: message.params.requestId });
      }
      const signal = message?.id === undefined ? gone : calls.begin({ caller, session, id: message.id }, gone);
      const serving = new Request(request, { signal });
      held.add(serving);
      gone.addEventListener("abort", () => held.delete(serving), { once: true });
      const response = await handler.fetch(serving, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) });
      if (message?.method === "initialize" && response.ok) {
        response.headers.set(SESSION, randomUUID());
      }
      return response;
    },
  };
}

/** MCP took batches out with its revision 2025-06-18: each request is counted, cancelled and limited by itself. */
function refusedBatch(): Response {
  const error = { code: -32_600, message: "MCP has no batches; send each request one by one." };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
}

const messageSchema = z.object({
  method: z.string(),
  id: z.union([z.string(), z.number()]).optional(),
  params: z.object({ requestId: z.union([z.string(), z.number()]).optional() }).optional(),
});

/** The parsed body. It is read here, since the handler would otherwise copy the request and nobody would reference the copy; the handler refuses what is no JSON. */
async function bodyOf(request: Request, exactValues: ReadonlySet<string> | undefined): Promise<unknown> {
  return request.method === "POST" ? parseJson(await request.clone().text(), exactValues) : undefined;
}
