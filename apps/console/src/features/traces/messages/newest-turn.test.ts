import { expect, test } from "vitest";
import { newestMessage, newestTurn } from "./newest-turn.ts";

const roles = (...given: readonly ("system" | "user" | "assistant" | "tool")[]) => given.map((role) => ({ role }));

test("of a model call the turn is shown that it answers", () => {
  expect(newestTurn(roles("system", "user"))).toBe(0);
  expect(newestTurn(roles("system", "user", "assistant", "user", "assistant", "user"))).toBe(5);
  expect(newestTurn(roles("user", "assistant", "user", "assistant", "tool", "tool"))).toBe(4);
  expect(newestTurn(roles("user", "user", "user", "user", "user"))).toBe(0);
});

test("a call that ends in what the model said itself shows that", () => {
  expect(newestTurn(roles("user", "assistant", "user", "assistant", "assistant"))).toBe(4);
});

test("of a state the last message is shown, and of few all", () => {
  expect(newestMessage(roles("user", "assistant", "tool"))).toBe(0);
  expect(newestMessage(roles("user", "assistant", "tool", "assistant"))).toBe(3);
  expect(newestMessage([])).toBe(0);
});
