import type { Fetch } from "#http/send.ts";

type Request = { readonly path: string; readonly query: URLSearchParams; readonly body: unknown };

/** By method and path, as `GET /api/identity/login/me`: a JSON body, or what makes the response of a request. */
export type Answers = Readonly<Record<string, unknown>>;

export type Served = { readonly fetch: Fetch; readonly requests: (Request & { readonly method: string })[] };

/** The three APIs behind the console's proxy; what no answer is given for is not there. */
export function serve(answers: Answers): Served {
  const requests: Served["requests"] = [];
  const fetch: Fetch = async (url, { method = "GET", body, signal }) => {
    const { pathname: path, searchParams: query } = new URL(url, "http://console.test");
    const request = { method, path, query, body: typeof body === "string" ? JSON.parse(body) : undefined };
    requests.push(request);
    await Promise.resolve();
    signal?.throwIfAborted();
    const answer = answers[`${method} ${path}`];
    if (path.endsWith("/live")) {
      return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    }
    if (answer === undefined) {
      return refuse(404, "not_found", `Nothing is at ${path}.`);
    }
    const answered: unknown = typeof answer === "function" ? await answer(request) : answer;
    return answered instanceof Response ? answered : json(200, answered);
  };
  return { fetch, requests };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...headers, "content-type": "application/json" } });
}

export function refuse(status: number, error: string, message: string, headers: Record<string, string> = {}): Response {
  return json(status, { error, message }, headers);
}
