import { AppError } from "@sightline/foundation/errors";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { PluginTools, PluginToolCall } from "./server.ts";
import { callMcpTool } from "#testing/call-mcp-tool.ts";
import { startCodeIndex, type RunningCodeIndex } from "#testing/running-code-index.ts";

let running: RunningCodeIndex;
let isOffered = true;
let called: PluginToolCall | undefined;

const plugin: PluginTools = {
  instructions: "Beside code there are dreams: last_dream.",
  isOffered: async () => isOffered,
  tools: [
    {
      name: "last_dream",
      title: "The last dream",
      description: "Tells what was dreamt.",
      inputSchema: z.object({ of: z.string() }),
      answer: async (given, call) => {
        called = call;
        const { of } = z.strictObject({ of: z.string() }).parse(given);
        if (of === "nobody") {
          throw new AppError({ code: "no_dream", status: 404, message: "Nobody dreams nothing; name a sleeper." });
        }
        return `${of} dreamt of sheep`;
      },
    },
  ],
  evaluation: {
    instructions: "Dreams are kept by keep_dream.",
    tools: [
      {
        name: "keep_dream",
        title: "Keep a dream",
        description: "Keeps what was dreamt.",
        inputSchema: z.object({ dream: z.any().optional(), parts: z.array(z.any()).optional(), nights: z.number().optional() }),
        isAdding: true,
        exactValues: new Set(["dream"]),
        answer: async (given) => `kept ${JSON.stringify(given)}`,
      },
    ],
  },
};

beforeAll(async () => {
  running = await startCodeIndex({ plugin });
});

afterAll(() => running.stop());

type Asked = { readonly traces?: boolean; readonly evaluation?: boolean; readonly repositories?: readonly string[] };

async function createToken(asked: Asked): Promise<{ readonly token: string; readonly traces: boolean }> {
  const answer = await running.server.inject({
    method: "POST",
    url: "/api/v1/developer-tokens",
    headers: { authorization: `Bearer ${running.issue({ tid: "one", sub: "maker" })}` },
    payload: { label: "t", ...asked },
  });
  expect(answer).toMatchObject({ statusCode: 201 });
  return answer.json();
}

async function toolsOf(token: string): Promise<readonly string[]> {
  const reply = await send(token, "tools/list", {});
  return z
    .object({ tools: z.array(z.object({ name: z.string() })) })
    .parse(reply)
    .tools.map(({ name }) => name);
}

function post(token: string, payload: object | string) {
  return running.server.inject({
    method: "POST",
    url: "/mcp",
    headers: {
      host: "localhost",
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    payload,
  });
}

async function send(token: string, method: string, params: object): Promise<unknown> {
  const reply = await post(token, { jsonrpc: "2.0", id: 1, method, params });
  const [, data] = /^data: (.*)$/m.exec(reply.body) ?? [];
  return (JSON.parse(data ?? reply.body) as { result: unknown }).result;
}

const call = (token: string, given: Record<string, unknown>) => callMcpTool(running, { token, name: "last_dream", given });

test("numbers of values that are kept arrive as they were written, whatever else in the call is a number", async () => {
  const { token } = await createToken({ evaluation: true });
  const dream = "[1.10,12345678901234567890,1e400]";
  const given = `{"dream":${dream},"parts":"[{\\"dream\\":1.10}]","nights":1.0}`;
  const { body } = await post(token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"keep_dream","arguments":${given}}}`);
  expect(body).toContain(JSON.stringify(`kept {"dream":${dream},"parts":[{"dream":1.10}],"nights":1}`));
});

describe("a guest's tools", () => {
  test("stand beside the ten of the code index, and in the instructions", async () => {
    const { token } = await createToken({});
    expect(await toolsOf(token)).toHaveLength(11);
    expect(await toolsOf(token)).toContain("last_dream");
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    expect(await send(token, "initialize", hello)).toMatchObject({ instructions: expect.stringContaining("last_dream") });
  });

  test("are called for whoever made the token, with the length that was asked for within its bounds", async () => {
    const { token } = await createToken({});
    expect(await call(token, { of: "Ada", max_tokens: 1_000_000 })).toMatchObject({
      content: [{ text: "Ada dreamt of sheep" }],
    });
    expect(called).toMatchObject({ person: { tenantId: "one", userId: "maker", evaluation: false }, maxTokens: 12_000 });
    await call(token, { of: "Ada" });
    expect(called).toMatchObject({ maxTokens: 2_000 });
    expect(called?.countTokens("one two three")).toBe(3);
    expect(called?.signal.aborted).toBe(true);
  });

  test("that change something are told of to tokens with evaluation alone, and say that they do", async () => {
    const [without, opening] = [await createToken({}), await createToken({ evaluation: true })];
    expect(await toolsOf(without.token)).not.toContain("keep_dream");
    expect(await callMcpTool(running, { token: without.token, name: "keep_dream", given: {} }).catch(() => "refused")).toEqual(
      await callMcpTool(running, { token: without.token, name: "no_such_tool", given: {} }).catch(() => "refused"),
    );
    expect(await send(opening.token, "tools/list", {})).toMatchObject({
      tools: expect.arrayContaining([
        expect.objectContaining({ name: "last_dream", annotations: { readOnlyHint: true } }),
        expect.objectContaining({ name: "keep_dream", annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true } }),
      ]),
    });
  });

  test("are called for the person whose access token it is", async () => {
    await call(running.issue({ tid: "two", sub: "ada", role: "member" }), { of: "Ada" });
    expect(called).toMatchObject({ person: { tenantId: "two", userId: "ada" } });
  });

  test("say what was wrong as an error to act on", async () => {
    const { token } = await createToken({});
    expect(await call(token, { of: "nobody" })).toMatchObject({
      isError: true,
      content: [{ text: "Nobody dreams nothing; name a sleeper." }],
    });
  });

  test("are not there while their part has nothing to offer", async () => {
    const { token } = await createToken({});
    isOffered = false;
    expect(await toolsOf(token)).toHaveLength(10);
    isOffered = true;
  });
});

describe("whether a token opens more than code", () => {
  test.each<readonly [string, (repository: string) => Asked, boolean]>([
    ["of all repositories does", () => ({}), true],
    ["of all repositories does not when it says so", () => ({ traces: false }), false],
    ["of some repositories does not", (repository) => ({ repositories: [repository] }), false],
    ["of some repositories does with evaluation", (repository) => ({ repositories: [repository], evaluation: true }), true],
    ["of some repositories does when it says so", (repository) => ({ repositories: [repository], traces: true }), true],
  ])("one %s", async (_which, asked, opens) => {
    const { id } = await theRepository();
    const { token, traces } = await createToken(asked(id));
    expect(traces).toBe(opens);
    expect((await toolsOf(token)).includes("last_dream")).toBe(opens);
  });

  test("one that was made before there was such a choice does not", async () => {
    const { token } = await createToken({});
    await running.database.pool.query("update codeindex.developer_tokens set traces = default where label = 't'");
    expect(await toolsOf(token)).toHaveLength(10);
  });
});

let repository: Promise<{ readonly id: string }> | undefined;

function theRepository(): Promise<{ readonly id: string }> {
  repository ??= running.index("acme/shop", { "a.ts": "export const a = 1;\n" });
  return repository;
}
