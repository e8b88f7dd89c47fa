import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PROJECT_ID } from "#testing/project.ts";
import { Api } from "./api.ts";
import { Progress } from "./progress.ts";
import { Reporter } from "./reporter.ts";
import type { Run } from "./run-item.ts";

type Body = { readonly runs?: readonly Run[] };

/** Answers with the statuses that it is told, and keeps what it took. */
describe("runs are reported", () => {
  let server: Server;
  let api: Api;
  let answer: (body: Body) => number;
  let taken: Run[];
  let asked: number;

  beforeEach(async () => {
    [answer, taken, asked] = [() => 200, [], 0];
    server = createServer((request: IncomingMessage, response) => {
      void text(request).then((given) => {
        const body = given === "" ? {} : (JSON.parse(given) as Body);
        const status = answer(body);
        asked += 1;
        taken.push(...(status === 200 ? (body.runs ?? []) : []));
        response
          .writeHead(status)
          .end(JSON.stringify({ message: `Odd ${status}.`, details: [{ path: "runs", message: "odd" }], cost: 4.25 }));
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    api = new Api(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "k", PROJECT_ID);
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const reporterOf = (maxCost?: number) => new Reporter(api, "/experiments/e-1", new Progress(), maxCost, 0);
  const runOf = (id: string, output: string): Run => ({
    item_id: id,
    repetition: 0,
    attempt: 1,
    state: "succeeded",
    output,
    trace_id: null,
  });

  test("and one that is odd costs no other", async () => {
    answer = ({ runs = [] }) => (runs.some(({ output }) => output === "odd") ? 400 : 200);
    const reporter = reporterOf();
    reporter.waiting = [runOf("0", "a"), runOf("1", "odd"), runOf("2", "b")];
    await reporter.flush();
    expect([reporter.waiting, reporter.failure]).toEqual([[], undefined]);
    expect(taken.map(({ item_id: id, state }) => [id, state])).toEqual([
      ["0", "succeeded"],
      ["1", "failed"],
      ["2", "succeeded"],
    ]);
    expect(taken[1]?.error).toBe("it was refused: Odd 400. (runs: odd)");
  });

  test("again where the platform can't now, and kept where it refuses all", async () => {
    const statuses = [503, 429, 200];
    answer = () => statuses.shift() ?? 403;
    const reporter = reporterOf();
    reporter.waiting = [runOf("0", "a")];
    await Promise.all([reporter.flush(), reporter.flush()]);
    expect([taken.length, asked]).toEqual([1, 3]);
    reporter.waiting = [runOf("1", "b")];
    await reporter.flush();
    expect(reporter.failure?.message).toContain("Odd 403. (runs: odd) (apiKey or OBS_API_KEY is to be a key with the scope evaluate)");
    expect([reporter.waiting.length, reporter.isOver]).toEqual([1, true]);
  });

  test("until they cost more than they may", async () => {
    const reporter = reporterOf(4);
    expect(reporter.isOver).toBe(false);
    reporter.start();
    await expect.poll(() => reporter.isOver, { timeout: 10_000 }).toBe(true);
    reporter.stop();
    expect(reporterOf(5).isOver).toBe(false);
  });
});
