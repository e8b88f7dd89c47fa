import { expect, test } from "vitest";
import { matches } from "./matches.ts";

test("an entry matches when each word that was typed is somewhere in its texts, whatever the case and the order", () => {
  expect(matches("2fa SET", "Set up 2FA", "security 2fa totp")).toBe(true);
  expect(matches("", "Jobs")).toBe(true);
  expect(matches("job webhook", "Jobs", "index runs")).toBe(false);
});
