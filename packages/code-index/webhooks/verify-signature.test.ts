import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { verifySignature } from "./verify-signature.ts";

const body = Buffer.from("{}");
const now = new Date("2026-11-21T12:00:00Z");
const timestamp = String(now.getTime() / 1000);

function signedWith(key: Buffer) {
  const signature = createHmac("sha256", key).update(`id.${timestamp}.{}`).digest();
  return { kind: "standard" as const, id: "id", timestamp, signatures: [signature] };
}

test("a secret that begins with whsec_ is the key in base64", () => {
  const key = Buffer.from("a key of twenty-four byt");
  expect(verifySignature(signedWith(key), `whsec_${key.toString("base64")}`, { body, now })).toBe(true);
});

test("a secret that begins so and is no base64 is never an empty or short key", () => {
  const secret = "whsec_!!!!-????-++++";
  expect(verifySignature(signedWith(Buffer.alloc(0)), secret, { body, now })).toBe(false);
  expect(verifySignature(signedWith(Buffer.from(secret.slice(6), "base64")), secret, { body, now })).toBe(false);
  expect(verifySignature(signedWith(Buffer.from(secret)), secret, { body, now })).toBe(true);
});
