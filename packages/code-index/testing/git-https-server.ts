import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "@sightline/foundation/testing/certificates";

/** A git host on https at `localhost`: real git behind a password. */
export type GitHttpsServer = {
  /** `localhost:<port>` */
  readonly host: string;
  readonly port: number;
  /** What its requests had in their Authorization header. */
  readonly authorizations: readonly (string | undefined)[];
  /** Requests so far, by method and path. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
};

type Options = {
  readonly certificate: Certificate;
  /** The folder of a repository; it is served at every path that ends with `.git`. */
  readonly directory: string;
  /** Whom it lets in; everybody when left out. */
  readonly password?: (user: string, password: string) => boolean;
  /** Answers instead of git; `true` when it did. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
};

export async function startGitHttpsServer({ certificate, directory, password, answer }: Options): Promise<GitHttpsServer> {
  const authorizations: (string | undefined)[] = [];
  const requests: string[] = [];
  const server = createServer({ key: certificate.key, cert: certificate.certificate }, (request, response) => {
    const { authorization } = request.headers;
    authorizations.push(authorization);
    requests.push(`${request.method} ${request.url}`);
    if (answer?.(request, response) === true) {
      return;
    }
    if (password !== undefined && !isLetIn(authorization, password)) {
      response.writeHead(401, { "www-authenticate": "Basic" }).end();
      return;
    }
    serve(directory, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `localhost:${port}`,
    port,
    authorizations,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isLetIn(authorization: string | undefined, password: (user: string, password: string) => boolean): boolean {
  const [, encoded = ""] = /^Basic (.+)$/.exec(authorization ?? "") ?? [];
  const plain = Buffer.from(encoded, "base64").toString();
  return password(plain.slice(0, plain.indexOf(":")), plain.slice(plain.indexOf(":") + 1));
}

/** git's own CGI program. */
function serve(directory: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "https://localhost");
  const backend = spawn("git", ["http-backend"], {
    env: {
      // oxlint-disable-next-line node/no-process-env -- git needs its search path
      PATH: process.env["PATH"],
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROJECT_ROOT: directory,
      PATH_INFO: `/.git${url.pathname.replace(/^.*\.git(?=\/)/, "")}`,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
    },
  });
  request.pipe(backend.stdin);
  backend.stdin.on("error", () => undefined);
  const parts: Buffer[] = [];
  backend.stdout.on("data", (part: Buffer) => parts.push(part));
  backend.once("close", () => {
    const printed = Buffer.concat(parts);
    const end = printed.indexOf("\r\n\r\n");
    const headers = printed.toString("latin1", 0, end).split("\r\n");
    const status = headers.find((header) => header.startsWith("Status: "));
    response.statusCode = Number(status?.slice(8, 11) ?? 200);
    for (const header of headers.filter((line) => line !== status)) {
      response.setHeader(header.slice(0, header.indexOf(":")), header.slice(header.indexOf(":") + 2));
    }
    response.end(printed.subarray(end + 4));
  });
}
