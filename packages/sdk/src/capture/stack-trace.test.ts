import { expect, it } from "vitest";
import { observe, trace } from "../index.ts";
import { recordEachTest } from "#testing/recording.ts";
import type { StackError, StackTrace } from "../event/event.ts";

const { recorded } = recordEachTest();

function parse(text: string): unknown {
  const local = "a local value";
  return [local, JSON.parse(text)];
}

/** The stack that each body's failure is recorded with. */
async function stacksOf(...bodies: (() => unknown)[]): Promise<readonly StackTrace[]> {
  for (const body of bodies) {
    await trace({ name: "t" }, async () => observe({ name: "fails" }, async () => body())).catch(() => undefined);
  }
  const { ends, traceEnds, events } = await recorded();
  expect(JSON.stringify(events)).not.toContain("a local value");
  // The trace fails with the same error, which its step has told.
  expect(traceEnds.every(({ stack }) => stack === undefined)).toBe(true);
  return ends.map(({ stack }) => stack as StackTrace);
}

const namesOf = ({ frames }: StackError) => frames.map((frame) => [frame.function, frame.own ?? false]);

it("a failure tells its calls and its cause", async () => {
  const [stack] = await stacksOf(function wraps() {
    try {
      parse("{");
    } catch (error) {
      throw new TypeError("no such order", { cause: error });
    }
  });
  const [failure, cause] = stack?.errors ?? [];
  expect(failure?.frames[0]).toMatchObject({
    file: "packages/sdk/src/capture/stack-trace.test.ts",
    line: expect.any(Number),
    function: "wraps",
    own: true,
  });
  expect(failure).not.toHaveProperty("message");
  expect(cause).toMatchObject({ relation: "cause", of: 0, type: "SyntaxError", message: expect.stringContaining("JSON") });
  expect(namesOf(cause as StackError)).toContainEqual(["parse", true]);
  expect(stack?.errors.flatMap(({ frames }) => frames).some(({ file }) => file.includes("node:") || file.includes("node_modules"))).toBe(
    true,
  );
  expect(stack?.errors.flatMap(({ frames }) => frames).map(({ file }) => file)).not.toContainEqual(expect.stringMatching(/span\.ts/));
  expect(stack?.commit).toMatch(/^[0-9a-f]{40}$/);
});

it("members of an AggregateError are told, and a cause that is no error", async () => {
  const rejected = async () => Promise.any([Promise.reject(new Error("one", { cause: "a word" })), Promise.reject(new RangeError("two"))]);
  const [stack] = await stacksOf(rejected);
  expect(stack?.errors.slice(1)).toMatchObject([
    { relation: "member", of: 0, type: "Error", message: "one" },
    { relation: "member", of: 0, type: "RangeError", message: "two" },
    { relation: "cause", of: 1, type: "string", message: "a word", frames: [] },
  ]);
});

it("the newest calls and the first errors are kept", async () => {
  const deeper = (depth: number): unknown => (depth === 0 ? parse("{") : [deeper(depth - 1)]);
  const chain = (left: number): unknown => {
    try {
      return left === 0 ? parse("{") : chain(left - 1);
    } catch (cause) {
      throw new Error("x".repeat(10_000), { cause });
    }
  };
  const before = Error.stackTraceLimit;
  const [deep, chained, many] = await stacksOf(
    () => {
      try {
        Error.stackTraceLimit = 200;
        deeper(100);
      } finally {
        Error.stackTraceLimit = before;
      }
    },
    () => chain(10),
    () => Promise.any(Array.from({ length: 100 }, async (_, index) => Promise.reject(new Error(String(index))))),
  );
  expect(deep?.errors).toHaveLength(1);
  expect(deep?.errors[0]?.frames).toHaveLength(50);
  expect(deep?.errors[0]?.omitted).toBeGreaterThan(50);
  expect([chained?.errors.length, chained?.omitted]).toEqual([6, 1]);
  expect(chained?.errors[1]?.message?.length).toBeLessThan(600);
  expect(JSON.stringify(chained).length).toBeLessThan(20_000);
  expect([many?.errors.length, many?.omitted]).toEqual([21, 80]);
});

it("messages are masked, lines of a message are no calls, and circles end", async () => {
  const secret = `sk-proj-${"a".repeat(40)}`;
  const [stack] = await stacksOf(() => {
    const first = new Error("first\n    at forged (/app/forged.js:1:1)");
    const second = new Error(secret, { cause: first });
    first.cause = second;
    throw first;
  });
  expect(stack?.errors).toHaveLength(2);
  expect(JSON.stringify(stack)).not.toMatch(/forged\.js"|sk-proj-aaa/);
});

it("a stack is told once by the deepest step, and again where no failed step right below tells it", async () => {
  const parsing = async () => observe({ name: "innermost" }, async () => parse("{"));
  const passing = async () => observe({ name: "passing" }, parsing);
  const wrapping = async () =>
    passing().catch((cause: unknown) => {
      throw new TypeError("no such order", { cause });
    });
  const again = async () => {
    const [kept] = await observe({ name: "goes on" }, async () => Promise.allSettled([passing()]));
    throw kept?.status === "rejected" ? kept.reason : undefined;
  };
  await trace({ name: "t" }, async () => observe({ name: "wraps" }, wrapping)).catch(() => undefined);
  await trace({ name: "t" }, async () => observe({ name: "raises again" }, again)).catch(() => undefined);
  const { ends, traceEnds } = await recorded();
  // In the order in which they end.
  const [first, second] = [
    [true, false, true],
    [true, false, false, true],
  ];
  expect(ends.map(({ stack }) => stack !== undefined)).toEqual([...first, ...second]);
  expect(traceEnds.map(({ stack }) => stack)).toEqual([undefined, undefined]);
});

it("what can't be read costs the stack alone, and what is no error has none", async () => {
  const unreadable = Object.defineProperty(new Error("mine"), "cause", {
    get: () => {
      throw new Error("not to be read");
    },
  });
  expect(
    await stacksOf(
      () => {
        throw unreadable;
      },
      () => {
        // oxlint-disable-next-line typescript/only-throw-error -- an application may throw anything
        throw "a word";
      },
    ),
  ).toEqual([undefined, undefined]);
});

it.each([
  ["    at Object.run [as start] (C:\\app\\agent.js:12:5)", { file: "C:\\app\\agent.js", line: 12, function: "Object.run [as start]" }],
  ["    at async file:///srv/x/agent.js:3:5", { file: "/srv/x/agent.js", line: 3, own: true }],
  ["    at async Promise.all (index 0)", undefined],
  [
    "    at new Agent (webpack-internal:///(rsc)/./src/agent.ts:7:1)",
    { file: "webpack-internal:///(rsc)/./src/agent.ts", line: 7, function: "new Agent" },
  ],
])("the line %j is a call", async (line, frame) => {
  const [stack] = await stacksOf(() => {
    throw Object.assign(new Error("e"), { stack: `Error: e\n${line}` });
  });
  expect(stack?.errors[0]?.frames).toEqual(frame === undefined ? [] : [frame]);
});
