import { expect, it } from "vitest";
import { environmentFor, redisNotes } from "./snippet.ts";

const intake = {
  redis_url: "redis://events.acme.dev:16380",
  stream_name: "observability:events",
  otlp_url: "http://localhost:18000/v1/traces",
};

it("the environment of an application names the Redis and, when it is another than the usual, the stream", () => {
  expect(environmentFor("p1", intake)).toBe("OBS_PROJECT_ID=p1\nOBS_REDIS_URL=redis://events.acme.dev:16380");
  expect(environmentFor("p1", { ...intake, stream_name: "acme" })).toContain("\nOBS_STREAM_NAME=acme");
});

it("only an address that leaves something open comes with a note", () => {
  expect(redisNotes(intake)).toEqual([]);
  expect(redisNotes({ ...intake, redis_url: "redis://127.0.0.1:6380" })).toEqual([expect.stringContaining("For agents elsewhere")]);
  expect(redisNotes({ ...intake, redis_url: "rediss://…@events.acme.dev:6380/2" })).toEqual([
    expect.stringContaining("In the place of “…”"),
  ]);
  expect(redisNotes({ ...intake, redis_url: "redis://…@localhost" })).toHaveLength(2);
});
