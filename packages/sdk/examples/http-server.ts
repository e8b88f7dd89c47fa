/** A server with Node's own `http`, as with Express or Next.js: set up once, a trace a request, metrics, and a close at its end. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { closeRedisPublisher, initializeRedisPublisher, metricsText, observe, trace } from "@sightline/sdk";

// Not awaited: requests are served, and recorded, while Redis is looked for.
void initializeRedisPublisher();

const answer = async (question: string) => observe({ name: "answer" }, () => `nobody knows about ${question}`);

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/metrics") {
    response.end(metricsText());
    return;
  }
  const question = searchParams.get("question") ?? "";
  void trace({ name: "ask", userId: searchParams.get("user") ?? "unknown", input: question }, () => answer(question)).then((text) =>
    response.end(text),
  );
});
server.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () => console.log(`port ${(server.address() as AddressInfo).port}`));

process.once("SIGTERM", () => server.close(() => void closeRedisPublisher()));
