import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFakeConnection, OUTAGE } from "#testing/fake-connection.ts";
import { createConnector } from "./connector.ts";
import type { StreamConnection } from "./stream-connection.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createTestConnector(open: () => Promise<StreamConnection>) {
  const said: string[] = [];
  let opened = 0;
  const onOpened = () => {
    opened += 1;
  };
  const connector = createConnector(open, onOpened, { say: (reason, message) => void said.push(`${reason}: ${message}`) });
  return { connector, said, opened: () => opened };
}

describe("The connector", () => {
  it("opens one connection for all callers, and another once it broke", async () => {
    const made: ReturnType<typeof createFakeConnection>[] = [];
    const { connector, opened } = createTestConnector(async () => {
      const connection = createFakeConnection();
      made.push(connection);
      return connection;
    });
    const [first, second] = await Promise.all([connector.connect(1000), connector.connect(1000)]);
    expect([first === second, await connector.connect(1000)]).toEqual([true, first]);
    connector.disconnect();
    expect(first.isOpen()).toBe(false);
    expect(await connector.connect(1000)).toBe(made[1]);
    expect([made.length, opened()]).toEqual([2, 2]);
  });

  it("tries again after an opening that failed", async () => {
    const connection = createFakeConnection();
    let outages = 1;
    const { connector, opened } = createTestConnector(async () => {
      outages -= 1;
      if (outages >= 0) {
        throw OUTAGE;
      }
      return connection;
    });
    await expect(connector.connect(1000)).rejects.toBe(OUTAGE);
    expect(opened()).toBe(0);
    expect(await connector.connect(1000)).toBe(connection);
  });

  it("lets the socket keep the process alive only while a caller awaits it", async () => {
    const connection = createFakeConnection();
    const { connector } = createTestConnector(async () => connection);
    await connector.connect(1000);
    await connector.keepAliveDuring(() => connector.keepAliveDuring(async () => undefined));
    expect(connection.kept).toEqual([false, true, true, true, false]);
    await expect(connector.keepAliveDuring(() => Promise.reject(OUTAGE))).rejects.toBe(OUTAGE);
    expect(connection.kept.at(-1)).toBe(false);
    connector.disconnect();
    const another = createFakeConnection();
    const reopening = createTestConnector(async () => another).connector;
    await reopening.keepAliveDuring(() => reopening.connect(1000));
    expect(another.kept).toEqual([true, false]);
  });

  it("waits twice as long after each failure in a row, up to half a minute, and not at all after a success", () => {
    const { connector, said } = createTestConnector(async () => createFakeConnection());
    const waits = Array.from({ length: 12 }, () => {
      connector.failed(OUTAGE);
      return connector.resumesAt - Date.now();
    });
    waits.forEach((wait, index) => {
      const longest = Math.min(30_000, 250 * 2 ** index);
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThanOrEqual(longest);
    });
    expect(connector.failure).toBe(OUTAGE);
    expect(said[0]).toBe("unreachable: Redis cannot be reached (ECONNREFUSED); events wait in this process and the application goes on");
    connector.succeeded();
    expect(connector.failure).toBeUndefined();
    connector.failed(OUTAGE);
    expect(connector.resumesAt - Date.now()).toBeLessThanOrEqual(250);
  });

  it("closes a connection that comes after it was closed itself", async () => {
    const late = createFakeConnection();
    const { connector, opened } = createTestConnector(async () => late);
    const connecting = connector.connect(1000);
    connector.close();
    await expect(connecting).rejects.toMatchObject({ reason: "disconnected" });
    expect([late.isOpen(), opened()]).toEqual([false, 0]);
  });
});
