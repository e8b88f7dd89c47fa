import { randomBytes } from "node:crypto";
import { expect } from "vitest";

/** Sends traces of one span each, as an OpenTelemetry exporter does. */
export async function sendSpans(observabilityUrl: string, key: string, count: number): Promise<void> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const spans = Array.from({ length: count }, () => ({
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    name: "answer a question",
    kind: 1,
    startTimeUnixNano: String(now - 5_000_000n),
    endTimeUnixNano: String(now),
  }));
  const answer = await fetch(`${observabilityUrl}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans }] }] }),
  });
  expect(answer.status).toBe(200);
}
