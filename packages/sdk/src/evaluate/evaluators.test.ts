import { describe, expect, test } from "vitest";
import { readEvaluators, readScore, scoreRun } from "./evaluators.ts";
import { isUnavailable } from "./run-item.ts";

describe("evaluators", () => {
  test("may give what those of other libraries give", () => {
    expect(readScore({ name: "Levenshtein", score: 0.5, metadata: { rationale: "close" } })).toEqual({ value: 0.5, explanation: "close" });
    expect(readScore({ key: "exact_match", score: true, comment: "alike" })).toEqual({ value: true, explanation: "alike" });
    expect(readScore(0)).toEqual({ value: 0, explanation: null });
    expect(() => readScore("0.5")).toThrow("it gave a text; a score is a number, or true or false");
    expect(() => readScore({ score: null })).toThrow("it gave undefined");
  });

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
    expect([{ status: 429 }, { statusCode: 500 }, { response: { status: 503 } }].every(isUnavailable)).toBe(true);
    expect([{ status: 404 }, { status: "500" }, { response: null }, undefined].some(isUnavailable)).toBe(false);
  });
});
