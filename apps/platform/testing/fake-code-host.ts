import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { parseJson } from "@sightline/foundation/parse-json";
import { z } from "zod";

export type FakeHost = {
  readonly url: string;
  /** Of the one pull request, 7, oldest first. */
  readonly comments: readonly string[];
  readonly statuses: readonly unknown[];
  readonly say: (times: number, body: string) => void;
  readonly stop: () => Promise<void>;
};

type Answer = { readonly status: number; readonly body: unknown };
type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
};

const plainBody = z.strictObject({ body: z.string().min(1) });
const rawBody = z.strictObject({ content: z.strictObject({ raw: z.string().min(1) }) });
const sha = "[0-9a-f]{40}";
const description = z.string().max(140);
const githubStatus = z.strictObject({
  state: z.enum(["error", "failure", "pending", "success"]),
  target_url: z.url().optional(),
  description,
  context: z.string(),
});

/** What each host publishes of the routes that are asked: who may call, where comments and statuses are, and what they look like. */
const HOSTS = [
  {
    prefix: /^\/repos\/acme\/refunds/,
    token: (headers: Asked["headers"]) => (headers["x-github-api-version"] === "2022-11-28" ? bearer(headers) : undefined),
    list: /^\/issues\/7\/comments$/,
    one: /^\/issues\/comments\/(\d+)$/,
    change: "PATCH",
    size: "per_page",
    status: new RegExp(`^/statuses/${sha}$`),
    statusBody: githubStatus,
    isRaw: false,
  },
  {
    prefix: /^\/api\/v1\/repos\/acme\/refunds/,
    token: ({ authorization }: Asked["headers"]) => /^token (.*)$/.exec(authorization ?? "")?.[1],
    list: /^\/issues\/7\/comments$/,
    one: /^\/issues\/comments\/(\d+)$/,
    change: "PATCH",
    size: undefined,
    status: new RegExp(`^/statuses/${sha}$`),
    statusBody: githubStatus,
    isRaw: false,
  },
  {
    prefix: /^\/api\/v4\/projects\/42/,
    token: (headers: Asked["headers"]) => String(headers["private-token"]),
    list: /^\/merge_requests\/7\/notes$/,
    one: /^\/merge_requests\/7\/notes\/(\d+)$/,
    change: "PUT",
    size: "per_page",
    status: new RegExp(`^/statuses/${sha}$`),
    statusBody: z.strictObject({
      state: z.enum(["pending", "running", "success", "failed", "canceled", "skipped"]),
      name: z.string(),
      description,
      target_url: z.url().optional(),
      pipeline_id: z.int(),
    }),
    isRaw: false,
  },
  {
    prefix: /^\/2\.0\/repositories\/acme\/refunds/,
    token: (headers: Asked["headers"]) => bearer(headers),
    list: /^\/pullrequests\/7\/comments$/,
    one: /^\/pullrequests\/7\/comments\/(\d+)$/,
    change: "PUT",
    size: "pagelen",
    status: new RegExp(`^/commit/${sha}/statuses/build$`),
    statusBody: z.strictObject({
      key: z.string().max(40),
      state: z.enum(["SUCCESSFUL", "FAILED", "INPROGRESS", "STOPPED"]),
      name: z.string(),
      description,
      url: z.url(),
    }),
    isRaw: true,
  },
] as const;

function bearer({ authorization }: Asked["headers"]): string | undefined {
  return /^Bearer (.*)$/.exec(authorization ?? "")?.[1];
}

/** A server that speaks as GitHub, Gitea (`/api/v1`), GitLab (`/api/v4`) and Bitbucket (`/2.0`) do of comments and statuses, and takes nothing else. */
export async function startFakeHost(token: string): Promise<FakeHost> {
  const comments: string[] = [];
  const statuses: unknown[] = [];

  function answer({ method, path, query, headers, body }: Asked): Answer {
    const host = HOSTS.find(({ prefix }) => prefix.test(path));
    if (host === undefined || headers["user-agent"] === undefined) {
      return { status: 404, body: { message: "Not Found" } };
    }
    const given = host.token(headers);
    if (given !== token) {
      return { status: 401, body: { message: `Bad credentials ${given}` } };
    }
    const rest = path.replace(host.prefix, "");
    const write = () => (host.isRaw ? rawBody.parse(body).content.raw : plainBody.parse(body).body);
    const show = (said: string, id: number) => (host.isRaw ? { id, content: { raw: said } } : { id, body: said });
    if (method === "POST" && host.status.test(rest)) {
      statuses.push(host.statusBody.parse(body));
      return { status: 201, body: {} };
    }
    if (method === "POST" && host.list.test(rest)) {
      comments.push(write());
      return { status: 201, body: { id: comments.length - 1 } };
    }
    if (method === "GET" && host.list.test(rest)) {
      const all = comments.map(show);
      const size = host.size === undefined ? all.length : Number(query.get(host.size));
      const from = host.size === undefined ? 0 : (Number(query.get("page") ?? "1") - 1) * size;
      const page = all.slice(from, from + size);
      return { status: 200, body: host.isRaw ? { values: page } : page };
    }
    const [, id] = host.one.exec(rest) ?? [];
    if (method === host.change && id !== undefined && Number(id) < comments.length) {
      comments[Number(id)] = write();
      return { status: 200, body: {} };
    }
    return { status: 404, body: { message: "Not Found" } };
  }

  const server = createServer((request, response) => {
    void text(request)
      .then((sent) => {
        const url = new URL(request.url ?? "/", "http://host");
        const asked = { method: request.method ?? "", path: url.pathname, query: url.searchParams, headers: request.headers };
        return answer({ ...asked, body: parseJson(sent) });
      })
      .catch((error: unknown) => ({ status: 422, body: { message: String(error) } }))
      .then(({ status, body }) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    comments,
    statuses,
    say: (times, body) => comments.push(...Array.from({ length: times }, () => body)),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
