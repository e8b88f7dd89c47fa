import { describe, expect, it } from "vitest";
import { createFakeConnection, OUTAGE } from "#testing/fake-connection.ts";
import { createMetrics } from "../settings/metrics.ts";
import { createConnector } from "./connector.ts";
import { createInspection } from "./inspection.ts";

function createTestInspection() {
  const connection = createFakeConnection();
  const metrics = createMetrics();
  const connector = createConnector(
    async () => connection,
    () => undefined,
    { say: () => undefined },
  );
  return { connection, connector, metrics, inspection: createInspection(connector, metrics) };
}

describe("An inspection of the stream", () => {
  it("happens once for each request, and is what the metrics say", async () => {
    const { connection, metrics, inspection } = createTestInspection();
    await inspection.runIfDue();
    expect(metrics).toMatchObject({ streamLength: undefined, consumerAlive: undefined });
    inspection.request();
    expect(inspection.isDue).toBe(true);
    await inspection.runIfDue();
    expect(metrics).toMatchObject({ streamLength: 7, consumerAlive: true, consumerLagSeconds: 2 });
    connection.state = { length: 8, consumerAlive: false, lagSeconds: 0, isProjectMissing: false };
    await inspection.runIfDue();
    expect([inspection.isDue, metrics.streamLength]).toEqual([false, 7]);
  });

  it("that fails closes the connection, counts as a failure and throws nothing", async () => {
    const { connection, connector, metrics, inspection } = createTestInspection();
    connection.state = OUTAGE;
    inspection.request();
    await inspection.runIfDue();
    expect([connection.isOpen(), connector.failure, inspection.isDue]).toEqual([false, OUTAGE, false]);
    expect(metrics.streamLength).toBeUndefined();
  });
});
