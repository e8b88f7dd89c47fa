import { describe, expect, it } from "vitest";
import { findAlarm, announce } from "./notice-kinds.ts";

const enabled = { kind: "two_factor_enabled", text: "Your second factor is on." };
const guessed = { kind: "password_guessed", text: "Someone knows your password." };

describe("what is told aloud", () => {
  it("is nothing without a notice", () => {
    expect(announce([])).toBe("");
  });

  it("begins with what someone may have to act on, and counts the rest", () => {
    expect(announce([enabled])).toBe("Your second factor is on.");
    expect(announce([enabled, guessed])).toBe("Someone knows your password. And 1 more unread notice.");
    expect(announce([enabled, enabled, guessed])).toBe("Someone knows your password. And 2 more unread notices.");
  });
});

it("only what someone may have to act on stands above every page", () => {
  expect(findAlarm(guessed)).toMatchObject({ title: "Someone knows your password", help: { to: "/account/password" } });
  expect(findAlarm(enabled)).toBeUndefined();
  expect(findAlarm({ kind: "of a newer server" })).toBeUndefined();
});
