import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { firstDifference, toComparable } from "./comparable.ts";
import { RecordedError, recordedError, ReplayStoppedError } from "./errors.ts";
import { replay } from "./replay.ts";
import { Session } from "./session.ts";

const object = z.record(z.string(), z.unknown());
const http = z.object({ status: z.number(), is_stream: z.boolean(), body: z.string() });
const answer = z.object({ output: z.unknown(), error: z.null(), failed_call_id: z.null(), http: http.nullable() });
const vectors = z
  .object({
    step: object,
    comparable: z.array(z.object({ name: z.string(), value: z.unknown(), compared: z.unknown() })),
    differences: z.array(z.object({ recorded: z.unknown(), given: z.unknown(), at: z.string() })),
    sessions: z.array(
      z.object({
        name: z.string(),
        calls: z.array(z.object({ path: z.string(), input: z.unknown(), answer: answer.nullable() })),
        started: z.array(
          z.looseObject({
            observation_id: z.string(),
            name: z.string(),
            kind: z.string().default("tool"),
            asked: z.boolean().default(true),
          }),
        ),
        answers: z.array(z.unknown()),
        divergence: z.string().nullable(),
        live: z.array(z.string()).default([]),
      }),
    ),
    errors: z.array(z.object({ text: z.string(), name: z.string(), message: z.string(), is_recorded: z.boolean() })),
  })
  .parse(JSON.parse(readFileSync(new URL("../../../observability/events/replay-vectors.json", import.meta.url), "utf8")));

/** The vectors are those of the SDK for Python, too; with agents and the platform replays are tried by `query/replay/replay.test.ts`. */
describe("A replay", () => {
  test.each(vectors.comparable)("compares $name", ({ value, compared }) => {
    expect(JSON.stringify(toComparable(value))).toBe(JSON.stringify(compared));
  });

  test.each(vectors.differences)("finds the first difference at $at", ({ recorded, given, at }) => {
    expect(firstDifference(recorded, given)).toBe(at);
  });

  test.each(vectors.sessions)("with $name", ({ calls, started, answers, divergence, live }) => {
    const session = new Session(calls, "live");
    const given = started.flatMap(({ asked, ...each }) => {
      session.note({ ...vectors.step, ...each });
      return each.kind === "tool" && asked ? [session.answer(each.observation_id, "")?.value() ?? null] : [];
    });
    session.finish();
    expect(given).toEqual(answers);
    expect(session.divergence ?? null).toBe(divergence);
    expect(session.live).toEqual(live);
  });

  test("that stops answers nothing more, and marks where it diverged", () => {
    const [, vector] = vectors.sessions;
    const session = new Session(vector?.calls ?? []);
    const marks = (vector?.started ?? []).map((started) => {
      const { attributes } = session.note({ ...vectors.step, ...started, attributes: {} });
      expect(() => session.answer(started.observation_id, "")).toThrow(ReplayStoppedError);
      return attributes;
    });
    session.finish();
    expect([session.isStopped, session.live, marks]).toEqual([true, [], [{ replay_divergence: session.divergence }, {}]]);
  });

  test.each(vectors.errors)("throws what reads as it was recorded: $text", ({ text, name, message, is_recorded: isRecorded }) => {
    const error = recordedError(text, []);
    expect([error.name, error.message]).toEqual([name, message]);
    expect(Object.getPrototypeOf(error) === RecordedError.prototype).toBe(isRecorded);
  });

  test("throws an error of a class that it is given", () => {
    class OrderError extends Error {
      override name = "OrderError";
    }
    expect(recordedError("OrderError: gone", [OrderError])).toBeInstanceOf(OrderError);
    expect(recordedError("OrderError: gone", [OrderError])).toMatchObject({ name: "OrderError", message: "gone" });
  });

  test("says what it needs", async () => {
    await expect(replay("019b", () => 1)).rejects.toThrow("call initializeRedisPublisher() before");
  });
});
