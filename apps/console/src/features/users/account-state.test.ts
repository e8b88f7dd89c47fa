import { describe, expect, it } from "vitest";
import { confirmsEmail, findAccountState } from "./account-state.ts";

const active = { disabled_at: null, invited: false, must_change_password: false };

describe("the state of an account", () => {
  it.each([
    [active, "Active"],
    [{ ...active, must_change_password: true }, "New password due"],
    [{ ...active, invited: true, must_change_password: true }, "Invited"],
    [{ ...active, disabled_at: "2026-01-10T12:00:00Z", invited: true, must_change_password: true }, "Disabled"],
  ])("is of %j the one that decides: %s", (account, label) => {
    expect(findAccountState(account).label).toBe(label);
  });
});

describe("typing the address to confirm", () => {
  it("takes it as it is, whatever the case and the spaces around it", () => {
    expect(confirmsEmail(" Grace@Example.com ", "grace@example.com")).toBe(true);
  });

  it.each(["", "grace", "grace@example.co", "grace@example.com.", "ada@example.com"])("does not take %j", (typed) => {
    expect(confirmsEmail(typed, "grace@example.com")).toBe(false);
  });
});
