import { expect, test } from "vitest";
import { createCallLimit } from "./call-limit.ts";

function limited(perMinute: number) {
  let now = 0;
  const call = createCallLimit({ clock: { now: () => new Date(now) }, perMinute });
  return { call, wait: (milliseconds: number) => (now += milliseconds) };
}

function refusalOf(call: () => void): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("after its calls of a minute a caller is told how long to wait, others are not held up", () => {
  const { call, wait } = limited(6);
  for (let index = 0; index < 6; index++) {
    call("one");
  }
  expect(refusalOf(() => call("one"))).toMatchObject({ code: "rate_limited", status: 429, headers: { "retry-after": "10" } });
  expect(refusalOf(() => call("two"))).toBeUndefined();
  wait(9_999);
  expect(refusalOf(() => call("one"))).toMatchObject({ headers: { "retry-after": "1" } });
  wait(1);
  expect(refusalOf(() => call("one"))).toBeUndefined();
  expect(refusalOf(() => call("one"))).toBeDefined();
});

test("a refused call costs nothing, and a pause gives no more than a minute's calls", () => {
  const { call, wait } = limited(3);
  wait(3_600_000);
  for (let index = 0; index < 3; index++) {
    call("one");
  }
  for (let index = 0; index < 50; index++) {
    expect(refusalOf(() => call("one"))).toBeDefined();
  }
  wait(20_000);
  expect(refusalOf(() => call("one"))).toBeUndefined();
});

test("a clock that is set back gives nobody more, and locks nobody out", () => {
  const { call, wait } = limited(2);
  call("one");
  wait(-3_600_000);
  call("one");
  expect(refusalOf(() => call("one"))).toBeDefined();
  wait(30_000);
  expect(refusalOf(() => call("one"))).toBeUndefined();
});

test("any number of callers is limited, however many there were before", () => {
  const { call, wait } = limited(1);
  for (let index = 0; index < 10_000; index++) {
    call(`caller ${index}`);
  }
  wait(60_000);
  call("one");
  expect(refusalOf(() => call("one"))).toBeDefined();
});

test("0 is no limit", () => {
  const { call } = limited(0);
  const refusals = Array.from({ length: 1_000 }, () => refusalOf(() => call("one")));
  expect(refusals.filter((refusal) => refusal !== undefined)).toEqual([]);
});
