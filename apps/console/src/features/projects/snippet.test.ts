import { expect, it } from "vitest";
import { SET_UPS } from "./set-ups.ts";
import { environmentFor, redisNotes } from "./snippet.ts";

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
  expect(redisNotes({ ...intake, redis_url: "rediss://…@events.acme.dev:6380/2" })).toEqual([expect.stringContaining("Replace “…”")]);
  expect(redisNotes({ ...intake, redis_url: "redis://…@localhost" })).toHaveLength(2);
});

it("a program that calls a model says which key it needs, and no other does", () => {
  const keys = SET_UPS.flatMap(({ id, in: setUps }) =>
    Object.entries(setUps).map(([language, { code, providerKey }]) => {
      expect(code.includes("gpt-") || code.includes("claude-"), `${id} in ${language}`).toBe(providerKey !== undefined);
      return `${id} in ${language}: ${providerKey ?? "none"}`;
    }),
  );
  expect(keys).toEqual([
    "langgraph in python: none",
    "langgraph in typescript: none",
    "langchain in python: OPENAI_API_KEY",
    "langchain in typescript: OPENAI_API_KEY",
    "openai in python: OPENAI_API_KEY",
    "openai in typescript: OPENAI_API_KEY",
    "anthropic in python: ANTHROPIC_API_KEY",
    "anthropic in typescript: ANTHROPIC_API_KEY",
    "ai-sdk in typescript: OPENAI_API_KEY",
    "plain in python: none",
    "plain in typescript: none",
  ]);
});

it("a program in TypeScript has a package of its own, whatever is above its folder", () => {
  const installs = SET_UPS.flatMap(({ in: { typescript } }) => (typescript === undefined ? [] : [typescript.install("http://console")]));
  expect(installs).toHaveLength(6);
  for (const install of installs) {
    expect(install).toMatch(/^mkdir my-agent && cd my-agent && npm init -y\nnpm install http:\/\/console\/sdk\/sightline-sdk\.tgz/);
  }
});
