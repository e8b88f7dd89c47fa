import { describe, expect, test } from "vitest";
import { readEvaluators, scoreRun } from "./evaluators.ts";
import { isUnavailable } from "./run-item.ts";

describe("evaluators", () => {
  test("have a name each, and a version that follows their code", () => {
    const exact = () => true;
    expect(readEvaluators([exact])[0]).toMatchObject({ name: "exact", version: expect.stringMatching(/^[0-9a-f]{12}$/) });
    expect(() => readEvaluators([exact, exact])).toThrow("Two evaluators are called exact");
  });

  test("that throw or take too long have no score, and say why", async () => {
    const [fails, hangs] = readEvaluators({
      fails: () => {
        throw new TypeError("a bad day");
      },
      hangs: async () => await new Promise(() => undefined),
    });
    expect(fails && (await scoreRun(fails, {}, 1))).toMatchObject({ value: null, error: "TypeError: a bad day" });
    expect(hangs && (await scoreRun(hangs, {}, 0.01))).toMatchObject({ value: null, error: "Error: it took longer than 0.01 s (timeout)" });
  });

  test("are not to blame where a provider can't now", () => {
    expect(isUnavailable(new Error("outer", { cause: { status: 529 } }))).toBe(true);
    expect([{ statusCode: 500 }, { response: { status: 503 } }].every(isUnavailable)).toBe(true);
    expect(isUnavailable(undefined)).toBe(false);
  });
});
