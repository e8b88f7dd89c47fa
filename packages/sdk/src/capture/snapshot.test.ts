import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { writeEventText } from "../event/event-text.ts";
import { takeSnapshot } from "#testing/take-snapshot.ts";
import type { Limits } from "./snapshot.ts";

const REASONING = { capture: true, maximum: 50_000 };
const limits = { depth: 4, items: 3, text: 10, size: 1000 };

/** What of a payload leaves the process. */
function published(value: unknown, within?: Limits): unknown {
  return (JSON.parse(writeEventText({ input: takeSnapshot(value, REASONING, within) }).text) as { input: unknown }).input;
}

describe("A snapshot", () => {
  it("turns what JSON cannot say into something it can", () => {
    const value = {
      big: 10n,
      date: new Date("2026-01-02T03:04:05.678Z"),
      invalid: new Date(Number.NaN),
      map: new Map<unknown, unknown>([
        ["a", 1],
        [2, new Set(["b"])],
        [{}, 0],
      ]),
      error: new TypeError("wrong", { cause: "cause" }),
      call: function named() {},
      symbol: Symbol("s"),
      nan: Number.NaN,
      bytes: new Uint8Array(5),
      promise: Promise.resolve(1),
      nothing: undefined,
      none: null,
      list: [undefined, 1],
    };
    expect(JSON.parse(JSON.stringify(takeSnapshot(value, REASONING)))).toEqual({
      big: "10",
      date: "2026-01-02T03:04:05.678Z",
      invalid: "[invalid date]",
      map: { a: 1, "2": ["b"], "[object]": 0 },
      error: { name: "TypeError", message: "wrong", cause: "cause" },
      call: "[function named]",
      symbol: "Symbol(s)",
      nan: "NaN",
      bytes: "[binary: 5 bytes]",
      promise: "[Promise]",
      none: null,
      list: [null, 1],
    });
  });

  it("says where it was cut: depth, items, keys, text and bytes", () => {
    expect(takeSnapshot([[[[["deep"]]]]], REASONING, limits)).toEqual([[[["[depth limit]"]]]]);
    expect(takeSnapshot([1, 2, 3, 4, 5], REASONING, limits)).toEqual([1, 2, 3, "[2 more]"]);
    expect(takeSnapshot({ a: 1, b: 2, c: 3, d: 4 }, REASONING, limits)).toEqual({ a: 1, b: 2, c: 3, "...": "[more keys]" });
    expect(takeSnapshot("abcdefghijklm", REASONING, limits)).toBe("abcdefghij...[cut: 13 characters]");
    const large = Array.from({ length: 1000 }, () => "x".repeat(1000));
    expect(JSON.stringify(takeSnapshot(large, REASONING, { depth: 4, items: 2000, text: 2000, size: 50_000 })).length).toBeLessThan(52_000);
  });

  it("never shares, never loops, and survives getters and proxies that throw", () => {
    const loop: Record<string, unknown> = { list: [] };
    loop["self"] = loop;
    expect(takeSnapshot(loop, REASONING)).toEqual({ list: [], self: "[circular]" });
    const shared = { a: 1 };
    expect(takeSnapshot([shared, shared], REASONING)).toEqual([{ a: 1 }, { a: 1 }]);
    const hostile = Object.defineProperty({ kept: 1 }, "broken", {
      enumerable: true,
      get() {
        throw new Error("no");
      },
    });
    expect(takeSnapshot(hostile, REASONING)).toEqual({ kept: 1, broken: "[unreadable]" });
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    expect(takeSnapshot({ revoked: revoked.proxy }, REASONING)).toEqual({ revoked: "[unreadable]" });
    const prototype = JSON.parse('{"__proto__": {"polluted": true}}') as object;
    expect(JSON.stringify(takeSnapshot(prototype, REASONING))).toBe('{"__proto__":{"polluted":true}}');
  });

  it("is bounded also where nothing has a length: empty lists, lists of one list, integers of a million digits", () => {
    let lists: unknown[] = [];
    for (let level = 0; level < 12; level += 1) {
      lists = Array.from({ length: 1000 }, () => lists);
    }
    const startedAt = performance.now();
    expect(JSON.stringify(takeSnapshot({ lists }, REASONING)).length).toBeLessThan(300_000);
    expect(takeSnapshot([2n ** 4_000_000n, -(2n ** 4_000_000n)], REASONING)).toEqual(["[bigint limit]", "[bigint limit]"]);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  it("lists the keys of an object with very many of them once", () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_value, index) => [`key${index}`, index]));
    const time = () => {
      const startedAt = performance.now();
      const copied = takeSnapshot(many, REASONING) as Record<string, unknown>;
      expect([Object.keys(copied).length, copied["key0"], copied["..."]]).toEqual([1001, 0, "[more keys]"]);
      return performance.now() - startedAt;
    };
    const first = time();
    expect(Math.min(time(), time(), time())).toBeLessThan(first / 2);
    many["key0"] = -1;
    expect(takeSnapshot(many, REASONING)).toMatchObject({ key0: -1 });
  });

  it("survives functions that can't be asked for their name", () => {
    const revoked = Proxy.revocable(() => 1, {});
    revoked.revoke();
    expect(takeSnapshot(revoked.proxy, REASONING)).toBe("[function [unreadable]]");
    expect(takeSnapshot({ kept: 1, call: revoked.proxy }, REASONING)).toEqual({ kept: 1, call: "[function [unreadable]]" });
  });

  it("masks headers and variables also where they are pairs or entries with a name", () => {
    const value = {
      pairs: [
        ["Authorization", "Bearer x"],
        ["accept", "text/html"],
      ],
      named: [
        { name: "x-api-key", value: "k" },
        { key: "DB_PASSWORD", value: "p", enabled: true },
        { name: "accept", value: "text/html" },
      ],
    };
    expect(takeSnapshot(value, REASONING)).toEqual({
      pairs: [
        ["Authorization", "[masked]"],
        ["accept", "text/html"],
      ],
      named: [
        { name: "x-api-key", value: "[masked]" },
        { key: "DB_PASSWORD", value: "[masked]", enabled: true },
        { name: "accept", value: "text/html" },
      ],
    });
  });

  it("masks secrets in JSON text within JSON text, however deep", () => {
    let text = '{"api_key":"hunter2","q":"cats"}';
    for (let level = 0; level < 4; level += 1) {
      text = JSON.stringify({ model: "m", arguments: text });
    }
    const copied = String(published(text));
    expect(copied).toContain("cats");
    expect(copied).not.toContain("hunter2");
    expect(copied.length).toBe(text.length + "[masked]".length - "hunter2".length);
  });

  it("masks a secret in JSON text also where the text was cut within it", () => {
    const text = JSON.stringify({ padding: "x".repeat(40), password: "hunter2".repeat(10) });
    for (const cut of [70, 80, 90]) {
      for (const value of [text, JSON.stringify({ inner: text })]) {
        const copied = published(value, { ...limits, text: cut });
        expect(copied).not.toContain("hunt");
      }
    }
  });

  it("writes text that a database takes: no NUL, no half of a pair", () => {
    expect(takeSnapshot("a\u0000b\uD83Dc", REASONING)).toBe("a\uFFFDb\uFFFDc");
    expect(takeSnapshot("123456789😀", REASONING, limits)).toBe("123456789...[cut: 11 characters]");
  });

  it("masks secret keys wherever they are, also in JSON text, and keeps counts of tokens", () => {
    const value = {
      password: "hunter2",
      nested: [{ apiKey: "k", "x-api-key": "k", DB_PASSWORD: "p", Authorization: "Bearer x", accessToken: "t", session_cookie: "c" }],
      usage: { total_tokens: 12, token: 3, max_tokens: 5 },
      harmless: { passwordless: true, author: "me", tokenizer: "bpe", keyboard: "qwerty" },
      arguments: '{"query":"cats","api_key":"k-1","nested":{"secret":"s\\"x"},"max_tokens":5}',
    };
    expect(published(value)).toEqual({
      password: "[masked]",
      nested: [
        {
          apiKey: "[masked]",
          "x-api-key": "[masked]",
          DB_PASSWORD: "[masked]",
          Authorization: "[masked]",
          accessToken: "[masked]",
          session_cookie: "[masked]",
        },
      ],
      usage: { total_tokens: 12, token: 3, max_tokens: 5 },
      harmless: { passwordless: true, author: "me", tokenizer: "bpe", keyboard: "qwerty" },
      arguments: '{"query":"cats","api_key":"[masked]","nested":{"secret":"[masked]"},"max_tokens":5}',
    });
  });

  it("reads LangChain messages plainly, with reasoning cut or left out", () => {
    const message = new AIMessage({
      content: [
        { type: "thinking", thinking: "a".repeat(20) },
        { type: "text", text: "answer" },
      ],
      additional_kwargs: { reasoning_content: "b".repeat(20), other: 1 },
      tool_calls: [{ name: "search", args: { q: "x" }, id: "1" }],
    });
    const copied = takeSnapshot(message, { capture: true, maximum: 5 });
    expect(copied).toMatchObject({
      type: "ai",
      content: [
        { type: "thinking", text: "aaaaa" },
        { type: "text", text: "answer" },
      ],
      tool_calls: [{ name: "search", args: { q: "x" } }],
      additional_kwargs: { reasoning_content: "bbbbb", other: 1 },
    });
    const without = JSON.stringify(takeSnapshot([message], { capture: false, maximum: 5 }));
    expect(without).toContain("answer");
    expect(without).not.toMatch(/aaa|bbb/);
  });
});
