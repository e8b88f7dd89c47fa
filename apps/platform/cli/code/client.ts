import { errorMessage } from "@sightline/foundation/errors";
import { parseJson } from "@sightline/foundation/parse-json";
import { z } from "zod";
import { exchangeJobToken } from "#cli/sign-in/job-token.ts";
import { UsageError } from "#settings/failure.ts";
import { readCodeIndexUrl } from "./code-index-url.ts";

const LOOK_UP_MS = 30_000;
/** The characters that a bearer token may have (RFC 6750). */
const BEARER_TOKEN = /^[\w.~+/-]+=*$/;

type Answered =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly status: number; readonly error: string; readonly message: string };

const errorSchema = z
  .object({ error: z.string(), message: z.string(), details: z.array(z.object({ path: z.string(), message: z.string() })).default([]) })
  .transform(({ details, ...refused }) => ({
    ...refused,
    message: [refused.message, ...details.map(({ path, message }) => `${path}: ${message}`)].join("\n"),
  }));

type Sending = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

export type Sender = (path: string, sending?: Sending) => Promise<Answered>;

/** Asks the code index with SIGHTLINE_TOKEN. @throws {UsageError} where it has no token or no address. */
export async function createSender(given: string | undefined): Promise<Sender> {
  const token = await readToken();
  const address = await readCodeIndexUrl(given);
  const url = `${address.origin}${address.pathname.replace(/(?:\/mcp)?\/*$/, "")}`;
  return async (path, { headers: own, ...request } = {}) => {
    const headers = { ...own, authorization: `Bearer ${token}` };
    try {
      const response = await fetch(url + path, { signal: AbortSignal.timeout(LOOK_UP_MS), redirect: "error", ...request, headers });
      return readAnswer(response, await response.text());
    } catch (error) {
      throw new Error(`${url} does not answer: ${errorMessage(error)}`, { cause: error });
    }
  };
}

async function readToken(): Promise<string> {
  const token = process.env["SIGHTLINE_TOKEN"]?.trim() || (await exchangeJobToken());
  if (token === undefined) {
    throw new UsageError("No token: set SIGHTLINE_TOKEN, or in CI SIGHTLINE_WORKLOAD.");
  }
  if (!BEARER_TOKEN.test(token)) {
    throw new UsageError(
      "SIGHTLINE_TOKEN is not a token. Take the text that starts with codeindex_ from Connect in the console, without “Bearer” and quotes.",
    );
  }
  return token;
}

/** MCP answers with JSON or, as it likes, with one event that holds it. */
function readAnswer({ ok, status, headers }: Response, text: string): Answered {
  const isEvent = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const body = parseJson(isEvent ? (/^data: (.*)$/m.exec(text)?.[1] ?? "") : text);
  if (ok && body !== undefined) {
    return { ok, body };
  }
  const refused = errorSchema.safeParse(body).data ?? {
    error: "unknown",
    message: "the answer is none of Sightline's; is the address right?",
  };
  return { ok: false, status, ...refused };
}
