/** Express: set up once, a trace for each question, metrics for Prometheus, and a close at its end. */
import type { AddressInfo } from "node:net";
import { closeRedisPublisher, initializeRedisPublisher, metricsText, observe, trace } from "@sightline/sdk";
import express from "express";

// Not awaited: requests are served, and recorded, while Redis is looked for.
void initializeRedisPublisher();

const answer = async (question: string) => observe({ name: "answer" }, () => `nobody knows about ${question}`);

const app = express();
app.get("/ask", async ({ query }, response) => {
  const { question, user } = { question: "", user: "anonymous", ...query };
  response.json(await trace({ name: "ask", userId: user, input: question }, async () => ({ answer: await answer(question) })));
});
app.get("/metrics", (_request, response) => {
  response.type("text/plain").send(metricsText());
});
const server = app.listen(Number(process.env["PORT"] ?? 0), "127.0.0.1", () =>
  console.log(`port ${(server.address() as AddressInfo).port}`),
);

process.once("SIGTERM", () => server.close(() => void closeRedisPublisher()));
