import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Certificate } from "@sightline/foundation/testing/certificates";

type Request = { readonly path: string; readonly authorization: string; readonly body: unknown };

/** GitHub Enterprise's API for apps, on https at `localhost`. */
export type GithubAppApi = {
  readonly host: string;
  readonly requests: readonly Request[];
  readonly close: () => Promise<void>;
};

export async function startGithubAppApi(
  certificate: Certificate,
  answer: (request: Request, response: ServerResponse, number: number) => void,
): Promise<GithubAppApi> {
  const requests: Request[] = [];
  const server = createServer({ key: certificate.key, cert: certificate.certificate }, (request, response) => {
    void readJson(request).then((body) => {
      const received = { path: request.url ?? "", authorization: request.headers.authorization ?? "", body };
      requests.push(received);
      answer(received, response, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return {
    host: `localhost:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(Buffer.from(part));
  }
  return JSON.parse(Buffer.concat(parts).toString() || "null");
}
