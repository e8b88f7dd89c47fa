import { expect, test } from "vitest";
import { runLeg } from "./leg.ts";

const running = { deadlineMs: 10, advice: "ask for less", onError: () => undefined };

test("what a leg found is passed on with its time", async () => {
  const outcome = await runLeg({ ...running, search: async () => ({ chunkIds: [3, 1] }) });
  expect(outcome).toEqual({ chunkIds: [3, 1], isComplete: false, state: { state: "ok", ms: expect.any(Number), hits: 2 } });
});

test("a leg that never answers is a timeout that says what to do", async () => {
  const outcome = await runLeg({ ...running, search: () => new Promise(() => undefined) });
  expect(outcome).toMatchObject({ chunkIds: [], state: { state: "timeout", reason: "no answer within 10 ms; ask for less", hits: 0 } });
});

test("a statement that the database gave up is a timeout as well", async () => {
  const outcome = await runLeg({ ...running, search: () => Promise.reject(Object.assign(new Error("canceled"), { code: "57014" })) });
  expect(outcome.state.state).toBe("timeout");
});

test("a leg that throws is degraded, and the error is handed over", async () => {
  const errors: unknown[] = [];
  const failing = { ...running, search: () => Promise.reject(new Error("boom")), onError: (error: unknown) => errors.push(error) };
  expect(await runLeg(failing)).toMatchObject({ chunkIds: [], state: { state: "degraded", reason: expect.any(String) } });
  expect(errors).toHaveLength(1);
});
