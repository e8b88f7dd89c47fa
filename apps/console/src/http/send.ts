import { parseExactly } from "@sightline/foundation/exact-json";
import { z } from "zod";
import { ApiError } from "./api-error.ts";

export type Part = "identity" | "code-index" | "observability";

type Question = {
  readonly part: Part;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON; a file as it is. */
  readonly body?: unknown;
  /** Beside those that every call has. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The time-out of calls that take long by nature. */
  readonly deadlineMs?: number;
};

export type Call<Answer> = Question & {
  /** What the answer must look like; anything else is an error, so that no page works on a guess. */
  readonly answer: z.ZodType<Answer>;
  /** A call of the login: sent without the session's token, and a 401 is its answer, not the end of a session. */
  readonly anonymous?: boolean;
  /** Its numbers are kept as they were written, where the value of an application is in it. */
  readonly exact?: boolean;
  /** A status that has such an answer too, as the 503 of a health check that found something. */
  readonly answeredAt?: number;
};

/** A file that is taken as it comes. */
export type Download = Question & {
  /** Its media type. */
  readonly accept: string;
};

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

const DEADLINE_MS = 20_000;

const errorBodySchema = z.object({
  error: z.string(),
  message: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

/** One request to one of the APIs behind the same-origin proxy. Throws nothing but {@link ApiError} and the caller's own abort. */
export async function send<Answer>(fetch: Fetch, call: Call<Answer>, accessToken?: string): Promise<Answer> {
  const response = await reach(fetch, call, { accessToken, deadline: AbortSignal.timeout(call.deadlineMs ?? DEADLINE_MS) });
  const body = await readBody(response, call.exact === true ? parseExactly : JSON.parse);
  if (!response.ok && response.status !== call.answeredAt) {
    throw refusal(response, body);
  }
  const answer = call.answer.safeParse(body);
  if (!answer.success) {
    throw new ApiError({
      status: response.status,
      code: "unexpected_answer",
      message: `The ${call.part} API answered in a way this console doesn't understand; are both of the same version?`,
    });
  }
  return answer.data;
}

/** Begins a download. Its beginning has a deadline, the rest may take as long as it takes. */
export async function open(fetch: Fetch, download: Download, accessToken?: string): Promise<Response> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), download.deadlineMs ?? DEADLINE_MS);
  try {
    const response = await reach(fetch, download, { accessToken, deadline: deadline.signal, accept: download.accept });
    if (!response.ok) {
      throw refusal(response, await readBody(response));
    }
    return response;
  } finally {
    clearTimeout(timer);
  }
}

async function reach(
  fetch: Fetch,
  call: Question,
  {
    accessToken,
    deadline,
    accept = "application/json",
  }: { readonly accessToken: string | undefined; readonly deadline: AbortSignal; readonly accept?: string },
): Promise<Response> {
  try {
    return await fetch(urlOf(call), {
      method: call.method ?? "GET",
      headers: {
        ...call.headers,
        accept,
        ...(call.body === undefined || call.body instanceof Blob ? {} : { "content-type": "application/json" }),
        ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
      },
      ...(call.body === undefined ? {} : { body: call.body instanceof Blob ? call.body : JSON.stringify(call.body) }),
      credentials: "same-origin",
      signal: call.signal === undefined ? deadline : AbortSignal.any([call.signal, deadline]),
    });
  } catch (error) {
    if (call.signal?.aborted === true) {
      throw error;
    }
    const late = deadline.aborted ? `did not answer within ${(call.deadlineMs ?? DEADLINE_MS) / 1000} seconds` : "could not be reached";
    throw new ApiError({ status: 0, code: "unreachable", message: `The ${call.part} API ${late}; check that it runs, then try again.` });
  }
}

function urlOf(call: Question): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined && value !== "") {
      query.set(name, String(value));
    }
  }
  const search = query.toString();
  return `/api/${call.part}${call.path}${search === "" ? "" : `?${search}`}`;
}

async function readBody(response: Response, parse: (json: string) => unknown = JSON.parse): Promise<unknown> {
  const text = await response.text().catch(() => "");
  try {
    return text === "" ? undefined : parse(text);
  } catch {
    return text;
  }
}

function refusal(response: Response, body: unknown): ApiError {
  const parsed = errorBodySchema.safeParse(body);
  const seconds = Number(response.headers.get("retry-after") ?? "");
  const summary = parsed.data?.message;
  // A place whose message is that of the whole adds only its name in the API, which nobody reads beside the field.
  const details = parsed.data?.details?.map(({ path, message }) => (path === "" || message === summary ? message : `${path}: ${message}`));
  return new ApiError({
    status: response.status,
    code: parsed.data?.error ?? "unexpected_answer",
    summary,
    details,
    message: details?.join("; ") ?? summary ?? `The server answered ${response.status}; its log says why.`,
    retryAfter: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
  });
}
