import { z } from "zod";
import { ApiError } from "#http/api-error.ts";
import { type Fetch, open } from "#http/send.ts";

/** The revision of MCP in which a call stands for itself, without a session before it. */
const REVISION = "2026-07-28";
const CLIENT = { name: "sightline-console", version: "1" };
const DEADLINE_MS = 30_000;

const argumentSchema = z.object({
  type: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
});

const toolSchema = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().default(""),
  inputSchema: z.object({ properties: z.record(z.string(), argumentSchema).default({}), required: z.array(z.string()).default([]) }),
});
export type McpTool = z.infer<typeof toolSchema>;

const toolResultSchema = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  isError: z.boolean().default(false),
});

export type McpAnswer = {
  readonly text: string;
  /** The tool could not do what it was asked; the text says why. */
  readonly isError: boolean;
  readonly ms: number;
  /** The raw response text. */
  readonly raw: unknown;
};

/** The tools as an assistant with this token sees them. */
export async function listMcpTools(fetch: Fetch, token: string, signal?: AbortSignal): Promise<readonly McpTool[]> {
  const raw = await post(fetch, token, { method: "tools/list", params: {}, signal });
  return understood(z.object({ tools: z.array(toolSchema) }), raw).tools;
}

/** One call of a tool through the MCP endpoint, with nothing but the token: what an assistant would get. */
export async function callMcpTool(
  fetch: Fetch,
  token: string,
  call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
): Promise<McpAnswer> {
  const begun = performance.now();
  const raw = await post(fetch, token, { method: "tools/call", params: call, name: call.name });
  const { content, isError } = understood(toolResultSchema, raw);
  return { text: content.map(({ text }) => text ?? "").join("\n"), isError, ms: performance.now() - begun, raw };
}

type Message = {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly signal?: AbortSignal | undefined;
};

async function post(fetch: Fetch, token: string, { method, params, name, signal }: Message): Promise<unknown> {
  const response = await open(
    fetch,
    {
      part: "code-index",
      method: "POST",
      path: "/mcp",
      accept: "application/json, text/event-stream",
      deadlineMs: DEADLINE_MS,
      headers: { "mcp-protocol-version": REVISION, "mcp-method": method, ...(name === undefined ? {} : { "mcp-name": name }) },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": CLIENT,
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      },
      signal,
    },
    token,
  );
  return resultOf(response.status, await response.text());
}

const replySchema = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() });

/** What was asked for, whether it came at once or at the end of a stream of events. */
function resultOf(status: number, body: string): unknown {
  const messages = body.startsWith("{") ? [body] : [...body.matchAll(/^data: ?(.+)$/gm)].map((match) => match[1] ?? "");
  const reply = replySchema.safeParse(parse(messages.at(-1) ?? ""));
  if (reply.data?.result !== undefined) {
    return reply.data.result;
  }
  throw unexpected(reply.data?.error?.message, status);
}

function understood<Answer>(schema: z.ZodType<Answer>, raw: unknown): Answer {
  const answer = schema.safeParse(raw);
  if (!answer.success) {
    throw unexpected();
  }
  return answer.data;
}

function unexpected(message = "The MCP endpoint answered with something else than MCP.", status = 200): ApiError {
  return new ApiError({ status, code: "unexpected_answer", message });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
