import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { SystemMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { generateText } from "ai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createModelServer } from "#testing/model-server.ts";
import { createPromptServer, FAULTS, GREETING } from "#testing/prompt-server.ts";
import { recordEachTest } from "#testing/recording.ts";
import { traceAiSdk } from "../ai-sdk.ts";
import { getPrompt, observe, PromptError, type PromptMessage, trace } from "../index.ts";
import { createCallbackHandler } from "../langchain.ts";
import { wrapOpenAI } from "../openai.ts";

const { recorded } = recordEachTest();
const NAME = GREETING.name;
const RETRY_MS = 10_001;

let platform: Awaited<ReturnType<typeof createPromptServer>>;
let folder: string;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  platform = await createPromptServer();
  folder = await mkdtemp(join(tmpdir(), "sightline-prompts-"));
  vi.stubEnv("XDG_CACHE_HOME", folder);
  vi.stubEnv("OBS_API_URL", platform.url);
  vi.stubEnv("OBS_API_KEY", "studio_key");
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await platform.close();
  await rm(folder, { recursive: true });
});

/** Nothing is in memory. */
async function beginProcess(): Promise<typeof getPrompt> {
  vi.resetModules();
  const { getPrompt: begun } = await import("./get-prompt.ts");
  return begun;
}

const keptFile = async () => {
  const [file = ""] = await readdir(join(folder, "sightline-sdk", "prompts"));
  return join(folder, "sightline-sdk", "prompts", file);
};

describe("getPrompt", () => {
  it("gives a prompt that says what it is, and is compiled", async () => {
    const prompt = await getPrompt(NAME);
    expect(prompt).toMatchObject({ version: 7, label: "production", source: "cache", isStale: false, config: GREETING.config });
    expect(prompt.compile({ name: "Ada", mood: "glad", more: 1 })).toBe("Hello Ada! Ada is glad.");
    expect(prompt.compile({ name: { a: [1, null] }, mood: "{{name}} $& $1" })).toBe(
      'Hello {"a":[1,null]}! {"a":[1,null]} is {{name}} $& $1.',
    );
    expect(() => prompt.compile()).toThrow(new PromptError('The prompt "support/greeting" needs mood, name.'));
  });

  it("gives messages, too", async () => {
    const messages = [
      { role: "system", content: "Be {{mood}}." },
      { role: "user", content: "Hi" },
    ];
    platform.answer = { ...GREETING, template: messages };
    const prompt = await getPrompt<PromptMessage[]>(NAME, { label: "staging" });
    expect(prompt.compile({ mood: "glad" })).toEqual([{ role: "system", content: "Be glad." }, messages[1]]);
    expect(prompt.template).toEqual(messages);
  });

  it("opens no connection for what is in memory", async () => {
    await getPrompt(NAME);
    await getPrompt(NAME, { version: 7, maxAge: 0 });
    expect(platform.connections).toBe(2);
    for (let call = 0; call < 1_000; call += 1) {
      expect((await getPrompt(NAME)).source).toBe("cache");
      expect((await getPrompt(NAME, { version: 7, maxAge: 0 })).isStale).toBe(false);
    }
    expect(platform.connections).toBe(2);
  });

  it("refreshes what is old in the background, once at a time", async () => {
    await getPrompt(NAME);
    vi.advanceTimersByTime(60_001);
    const goOn = platform.hold();
    platform.answer = { ...GREETING, version: 8 };
    for (let call = 0; call < 100; call += 1) {
      expect(await getPrompt(NAME)).toMatchObject({ version: 7, isStale: true, source: "cache" });
    }
    goOn();
    await expect.poll(async () => (await getPrompt(NAME)).version).toBe(8);
    expect(platform.connections).toBe(2);
  });

  it("asks once for callers that begin together", async () => {
    const found = await Promise.all(Array.from({ length: 20 }, () => getPrompt(NAME)));
    expect(found.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, () => 7));
    expect(platform.connections).toBe(1);
  });

  it.each(FAULTS)("gives what was known, or the fallback, when the platform is %s", async (fault) => {
    await getPrompt(NAME);
    await expect.poll(async () => (await stat(await keptFile())).mode & 0o777).toBe(0o600);
    vi.advanceTimersByTime(60_001);
    await platform.breakDown(fault);
    // In memory; then on disk, of another process; then nowhere.
    for (let call = 0; call < 3; call += 1) {
      expect(await getPrompt(NAME)).toMatchObject({ version: 7, source: "cache", isStale: true });
      vi.advanceTimersByTime(RETRY_MS);
    }
    const options = { timeout: fault === "hung" ? 0.3 : 2, fallback: "Hi {{name}}." };
    expect(await (await beginProcess())(NAME, options)).toMatchObject({ version: 7, source: "disk", isStale: true });
    await writeFile(await keptFile(), (await readFile(await keptFile())).subarray(0, 40));
    const begun = await beginProcess();
    const given = await begun(NAME, options);
    expect(given).toMatchObject({ version: undefined, source: "fallback", isStale: true });
    expect(given.compile({ name: "Ada" })).toBe("Hi Ada.");
    const nothing = await begun(NAME, { timeout: 0.3 });
    expect(nothing).toMatchObject({ source: "none", template: undefined, config: {} });
    expect(() => nothing.compile()).toThrow("Nothing is known");
  });

  it("costs nothing on a disk that takes nothing", async () => {
    await writeFile(join(folder, "file"), "");
    vi.stubEnv("XDG_CACHE_HOME", join(folder, "file"));
    expect(await getPrompt(NAME)).toMatchObject({ source: "cache" });
    await platform.breakDown("500");
    expect(await (await beginProcess())(NAME, { fallback: "x" })).toMatchObject({ source: "fallback" });
  });

  it("remembers a failure for a while, and then asks again", async () => {
    await platform.breakDown("404");
    for (let call = 0; call < 50; call += 1) {
      expect((await getPrompt(NAME, { fallback: "x" })).source).toBe("fallback");
    }
    expect(platform.connections).toBe(1);
    platform.fault = "";
    vi.advanceTimersByTime(RETRY_MS);
    await expect.poll(async () => (await getPrompt(NAME)).source).toBe("cache");
  });

  it.each([
    [undefined, {}],
    [7, {}],
    [NAME, { version: {} }],
    [NAME, { timeout: "x" }],
    [NAME, { fallback: 7 }],
    [NAME, null],
    ["\uD800", {}],
    [Symbol("s"), {}],
  ])("throws nothing for %s, %j", async (name, options) => {
    await platform.breakDown("404");
    expect(await Reflect.apply(getPrompt, undefined, [name, options])).toMatchObject({ source: "none" });
  });

  it("throws nothing without settings", async () => {
    vi.stubEnv("OBS_API_URL", "");
    expect((await getPrompt("any", { fallback: [{ role: "user", content: "x" }] })).compile()).toEqual([{ role: "user", content: "x" }]);
  });
});

describe("a model call", () => {
  it("is recorded with the prompt that it is made with", async () => {
    const server = await createModelServer(() => ({ json: { model: "m", choices: [{ message: { role: "assistant", content: "Hi" } }] } }));
    const client = wrapOpenAI(new OpenAI({ baseURL: server.url, apiKey: "k", maxRetries: 0 }));
    const prompt = await getPrompt(NAME);
    const text = prompt.compile({ name: "Ada", mood: "glad" });
    const user = { role: "user" as const, content: "Hi" };
    const messages = [{ role: "system" as const, content: text }, user];
    await client.chat.completions.create({ model: "m", messages });
    await client.responses.create({ model: "m", instructions: text, input: "Hi" });
    await client.chat.completions.create({ model: "m", messages: [user] });
    await prompt.use(() => client.chat.completions.create({ model: "m", messages: [user] }));
    const chat = new FakeListChatModel({ responses: ["Hi"] });
    await trace({ name: "t" }, async () => {
      await chat.invoke([new SystemMessage(text), user], { callbacks: [createCallbackHandler()] });
      observe({ name: "own", kind: "llm", input: { messages: [{ parts: [{ text }] }] } }, () => undefined);
      observe({ name: "none", input: text }, () => undefined);
    });
    // Tokens, as embeddings may have them, are no texts: not all of a million are looked at.
    observe({ name: "tokens", kind: "llm", input: [Array.from({ length: 3_000 }, () => 1), text] }, () => undefined);
    traceAiSdk();
    const provider = createOpenAICompatible({ name: "local", baseURL: server.url, apiKey: "k" });
    await generateText({ model: provider("m"), instructions: text, prompt: "Hi", maxRetries: 0 });
    server.stop();
    const { starts } = await recorded();
    const expected = { name: NAME, version: "7" };
    const used = starts.filter((start) => start["name"] !== "generateText").map((start) => start["prompt"]);
    expect(used).toEqual([expected, expected, undefined, expected, expected, expected, undefined, undefined, expected]);
  });
});
