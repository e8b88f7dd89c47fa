import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Where Google's library finds the credentials of the machine it runs on, as on Google Cloud. */
export async function startMetadataServer(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    response.setHeader("metadata-flavor", "Google").setHeader("content-type", "application/json");
    response.end(
      request.url?.includes("/token") === true
        ? JSON.stringify({ access_token: "machine-token", expires_in: 3600, token_type: "Bearer" })
        : "{}",
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
