import { expect, test } from "vitest";
import { makeOneTimePassword } from "./one-time-password.ts";
import { createPasswordHasher } from "./password-hash.ts";

test("a stored password is argon2id with 19 MiB of memory and two passes, and opens with no other", async () => {
  const hasher = createPasswordHasher();
  const stored = await hasher.hash("seven green lanterns");
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await hasher.verify(stored, "seven green lanterns")).toBe(true);
  expect(await hasher.verify(stored, "seven red lanterns")).toBe(false);
  expect(await hasher.verify(undefined, "seven green lanterns")).toBe(false);
});

test("a one-time password opens as people type it, and a chosen password only as it was chosen", async () => {
  const hasher = createPasswordHasher({ memoryCost: 1024, timeCost: 1 });
  const made = makeOneTimePassword();
  const stored = await hasher.hash(made);
  const plain = made.replaceAll("-", "");
  for (const typed of [made, `${made}\n`, made.toUpperCase(), plain, ` ${made.replaceAll("-", " ")} `, made.replaceAll("-", "\u2013")]) {
    expect(await hasher.verify(stored, typed)).toBe(true);
  }
  for (const typed of [plain.slice(1), `${plain}a`, `${plain.slice(1)}${plain.charAt(0)}`]) {
    expect(await hasher.verify(stored, typed)).toBe(false);
  }
  const chosen = await hasher.hash(plain.toUpperCase());
  expect(await hasher.verify(chosen, plain.toUpperCase())).toBe(true);
  expect(await hasher.verify(chosen, plain)).toBe(false);
  expect(await hasher.verify(await hasher.hash("seven green lanterns"), "Seven green lanterns")).toBe(false);
});
