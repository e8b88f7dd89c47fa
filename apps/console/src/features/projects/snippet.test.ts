import { expect, it } from "vitest";
import { environmentFor, redisNotes, SET_UPS } from "./snippet.ts";

const intake = {
  redis_url: "redis://events.acme.dev:16380",
  stream_name: "observability:events",
  otlp_url: "http://localhost:18000/v1/traces",
};

it("the environment of an application names the Redis, the console and, when it is another than the usual, the stream", () => {
  const origin = "https://sightline.acme.dev";
  expect(environmentFor("p1", intake, origin).split("\n")).toEqual([
    "OBS_PROJECT_ID=p1",
    "OBS_REDIS_URL=redis://events.acme.dev:16380",
    "OBS_CONSOLE_URL=https://sightline.acme.dev",
  ]);
  expect(environmentFor("p1", { ...intake, stream_name: "acme" }, origin)).toContain("\nOBS_STREAM_NAME=acme");
});

it("only an address that leaves something open comes with a note", () => {
  expect(redisNotes(intake)).toEqual([]);
  expect(redisNotes({ ...intake, redis_url: "redis://127.0.0.1:6380" })).toEqual([expect.stringContaining("For agents elsewhere")]);
  expect(redisNotes({ ...intake, redis_url: "rediss://…@events.acme.dev:6380/2" })).toEqual([
    expect.stringContaining("In the place of “…”"),
  ]);
  expect(redisNotes({ ...intake, redis_url: "redis://…@localhost" })).toHaveLength(2);
});

it("a program that calls a model says which key it needs, and no other does", () => {
  const keys = Object.fromEntries(SET_UPS.map(({ id, setUp }) => [id, setUp.providerKey]));
  expect(keys).toEqual({
    langgraph: undefined,
    langchain: "OPENAI_API_KEY",
    openai: "OPENAI_API_KEY",
    anthropic: "ANTHROPIC_API_KEY",
    "ai-sdk": "OPENAI_API_KEY",
    plain: undefined,
    python: undefined,
  });
});
