import { expect, test } from "vitest";
import { messagesIn, toDiffMessages } from "./diff-messages.ts";

const read = (messages: readonly object[]) => messagesIn({ messages }, "input", true) ?? [];

test("what both said stands once, what one said in the place of the other beside it, and what one alone said alone", () => {
  const a = read([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where is order 42?" },
    { role: "assistant", content: "On its way." },
  ]);
  const b = read([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Where is order 43?" },
    { role: "tool", content: "lost" },
    { role: "assistant", content: "Lost." },
  ]);
  expect(toDiffMessages(a, b).map((row) => [row.a?.text, row.b?.text])).toEqual([
    ["Be brief.", "Be brief."],
    ["Where is order 42?", "Where is order 43?"],
    [undefined, "lost"],
    ["On its way.", "Lost."],
  ]);
  expect(toDiffMessages(a, []).map((row) => [row.a?.speaker, row.b])).toEqual([
    ["System", undefined],
    ["User", undefined],
    ["Assistant", undefined],
  ]);
});

test("a call of a tool is told with its arguments, and what is no conversation is none", () => {
  const [call] = read([{ role: "assistant", content: "", tool_calls: [{ name: "find", args: { id: 42 } }] }]);
  expect(call?.text).toContain("Calls find");
  expect(call?.text).toContain("42");
  expect(messagesIn({ rows: 3 }, "output", false)).toBeUndefined();
});
