import { expect, test } from "vitest";
import { createPasswordHasher } from "./password-hash.ts";

test("a stored password is argon2id with 19 MiB of memory and two passes, and opens with no other", async () => {
  const hasher = createPasswordHasher();
  const stored = await hasher.hash("seven green lanterns");
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await hasher.verify(stored, "seven green lanterns")).toBe(true);
  expect(await hasher.verify(stored, "seven red lanterns")).toBe(false);
  expect(await hasher.verify(undefined, "seven green lanterns")).toBe(false);
});
