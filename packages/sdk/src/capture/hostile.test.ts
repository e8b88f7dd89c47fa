import { describe, expect, it, vi } from "vitest";
import { createCallbackHandler } from "../langchain.ts";
import { traceGraph } from "../langgraph.ts";
import { wrapAnthropic } from "../anthropic.ts";
import { wrapOpenAI } from "../openai.ts";
import { initializeRedisPublisher, observe, score, trace, traceTool } from "../index.ts";
import { recordEachTest } from "#testing/recording.ts";

const { options, recorded } = recordEachTest();

const refuse = (): never => {
  throw new Error("no");
};
/** What an application without types hands over by mistake, or a test of its own has made of its objects. */
const HOSTILE = {
  undefined: undefined,
  null: null,
  "a text": "name",
  "a number": 7,
  "a symbol": Symbol("x"),
  "a proxy that throws": new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse }),
  "a getter that throws": Object.defineProperty({}, "name", { get: refuse }),
  "a frozen client": Object.freeze({
    chat: { completions: Object.freeze({ create: () => 1 }) },
    messages: Object.freeze({ create: () => 1 }),
  }),
  "wrong types": { name: "x", kind: {}, attributes: 7, tags: [1, null], environment: {}, threadId: Symbol("t"), parameters: 7 },
};
const ENTRANCES = { observe, trace, traceTool } as unknown as Record<string, (...given: unknown[]) => unknown>;

async function collectWarnings(): Promise<string[]> {
  const warnings: string[] = [];
  await initializeRedisPublisher({ ...options(), logger: { warn: (text) => warnings.push(text) } });
  return warnings;
}

describe.each(Object.entries(HOSTILE))("Given %s", (_what, given) => {
  it("nothing throws, the application's work is done once, and its result comes back", () => {
    for (const call of Object.values(ENTRANCES)) {
      let runs = 0;
      expect(call(given, () => (runs += 1))).toBe(1);
      expect(() => call({ name: "x" }, given)).not.toThrow();
    }
    expect(score(given as never)).toBe(false);
    for (const wrap of [wrapOpenAI, wrapAnthropic, traceGraph] as unknown as ((client: unknown, more: unknown) => unknown)[]) {
      expect(wrap(given, given) === given).toBe(true);
    }
    expect(() => createCallbackHandler(given as never)).not.toThrow();
  });
});

describe("A call that can't be recorded", () => {
  it("is told in one line, and a function in the place of the options is run", async () => {
    const warnings = await collectWarnings();
    expect(Object.values(ENTRANCES).map((call) => call(() => 5))).toEqual([5, 5, 5]);
    expect(warnings.filter((line) => line.includes("takes an object with a name, and a function"))).toHaveLength(1);
  });

  it("does not end the process when clocks that the application has replaced throw, and is told", async () => {
    const warnings = await collectWarnings();
    const clock = vi.spyOn(performance, "now").mockImplementation(refuse);
    try {
      expect(trace({ name: "x" }, () => 1)).toBe(1);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    } finally {
      clock.mockRestore();
    }
    expect(warnings).toEqual(["[sightline] the event of a call (trace) was not recorded, as making it failed: Error"]);
    trace({ name: "after" }, () => 1);
    expect((await recorded()).traces).toMatchObject([{ name: "after" }]);
  });
});

describe("A clock that throws", () => {
  it.each([
    ["from the start", true],
    ["from within the work on", false],
  ])("leaves the work alone, %s", async (_when, isBroken) => {
    await collectWarnings();
    const clocks = () => [vi.spyOn(performance, "now"), vi.spyOn(Date, "now")].map((clock) => clock.mockImplementation(refuse));
    for (const call of Object.values(ENTRANCES)) {
      let broken = isBroken ? clocks() : [];
      try {
        const answer = call({ name: "x" }, () => {
          broken = isBroken ? broken : clocks();
          return 5;
        });
        expect(answer).toBe(5);
      } finally {
        broken.forEach((clock) => clock.mockRestore());
      }
    }
  });
});

describe("What is thrown", () => {
  it.each([
    ["a long list", Array.from({ length: 3_000_000 }, () => 1), /^\[1,1,1/],
    ["a long buffer", Buffer.alloc(100_000_000), /^"\[binary: 100000000 bytes\]"$/],
    ["an error with a long message", Object.assign(new Error("y".repeat(3_000_000)), { name: "N".repeat(100_000) }), /^N{8192}$/],
    ["a long list as a message", { message: Array.from({ length: 3_000_000 }, () => "abc") }, /^\["abc"/],
    ["a huge integer", 2n ** 1_000_000n, /bigint limit/],
  ])("is read no further than it is recorded: %s", async (_what, thrown, text) => {
    const before = process.cpuUsage();
    let caught: unknown;
    try {
      observe({ name: "fails" }, () => {
        // oxlint-disable-next-line typescript/only-throw-error -- an application may throw anything
        throw thrown;
      });
    } catch (error) {
      caught = error;
    }
    const { user, system } = process.cpuUsage(before);
    // Microseconds of CPU; read to its end each takes several times as much.
    expect(user + system).toBeLessThan(200_000);
    expect(caught === thrown).toBe(true);
    const { find } = await recorded();
    expect(find("fails").end["error"]).toMatch(text);
  });
});
