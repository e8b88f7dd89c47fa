import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { needsRealPostgres, createTestDatabase, type TestDatabase } from "#testing/test-database.ts";
import { silentLog } from "#testing/silent-log.ts";
import { createHints, type Hints } from "./hints.ts";

let database: TestDatabase<unknown>;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const CHANNEL = "some_work";

async function listen(url = database.url): Promise<{ readonly hints: Hints; readonly woken: string[] }> {
  const hints = createHints({
    url,
    channel: CHANNEL,
    applicationName: "hints-test",
    log: silentLog,
    timing: { probeMs: 200, arrivesMs: 1_000 },
  });
  const woken: string[] = [];
  hints.wakenBy("jobs")(() => woken.push("jobs"));
  hints.wakenBy("other")(() => woken.push("other"));
  onTestFinished(hints.stop);
  hints.start();
  await vi.waitFor(() => expect(hints.areHeard()).toBe(true), { timeout: 10_000 });
  // Whatever was told before was not heard.
  expect(woken).toEqual(["jobs", "other"]);
  woken.length = 0;
  return { hints, woken };
}

const tell = (hint: string) => database.pool.query("select pg_notify($1, $2)", [CHANNEL, hint]);

test("a hint wakes those who wait for it, in every process that listens, and no others", async () => {
  const [one, two] = [await listen(), await listen()];
  await tell("jobs");
  await vi.waitFor(() => expect([one.woken, two.woken]).toEqual([["jobs"], ["jobs"]]), { timeout: 10_000 });
});

test(
  "a connection that was ended is opened again, and all are woken when hints cease and begin to be heard",
  needsRealPostgres,
  async () => {
    const { hints, woken } = await listen();
    await database.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hints-test'");
    await vi.waitFor(() => expect(woken).toEqual(["jobs", "other", "jobs", "other"]), { timeout: 10_000 });
    expect(hints.areHeard()).toBe(true);
    await tell("other");
    await vi.waitFor(() => expect(woken.slice(4)).toEqual(["other"]), { timeout: 10_000 });
  },
);

test("where nothing can be listened to, nothing is heard, and stopping waits for nobody", async () => {
  const address = new URL(database.url);
  address.port = "1";
  const hints = createHints({ url: address.toString(), channel: CHANNEL, applicationName: "hints-test", log: silentLog });
  let woken = 0;
  hints.wakenBy("jobs")(() => (woken += 1));
  hints.start();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([hints.areHeard(), woken]).toEqual([false, 0]);
  await hints.stop();
});
