import { describe, expect, test } from "vitest";
import { createSealer as createSealerOf, SealError, type EncryptionRing } from "./sealing.ts";

const first = { id: "k1", secret: "first-secret-0123456789-0123456789" };
const second = { id: "k2", secret: "second-secret-0123456789-0123456789" };
const owner = { label: "sightline.identity", variable: "ENCRYPTION_KEYS" };
const createSealer = (ring: EncryptionRing) => createSealerOf(ring, owner);
const context = { purpose: "users.totp_secret", subject: "ada" };
const plain = Buffer.from("a secret of twenty bytes");

describe("a sealed secret", () => {
  test("opens with the key that sealed it, and shows nothing before", () => {
    const sealer = createSealer([first]);
    const envelope = sealer.seal(plain, context);

    expect(envelope).toMatch(/^v1\.k1\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(envelope).not.toContain(plain.toString("base64url"));
    expect(sealer.open(envelope, context)).toEqual(plain);
    expect(sealer.seal(plain, context)).not.toBe(envelope);
  });

  test("opens after a new key was put before its own in the ring", () => {
    const envelope = createSealer([first]).seal(plain, context);
    const rotated = createSealer([second, first]);

    expect(rotated.open(envelope, context)).toEqual(plain);
    expect(rotated.seal(plain, context)).toMatch(/^v1\.k2\./);
  });

  test("does not open for another owner or purpose, changed, cut, or without its key", () => {
    const sealer = createSealer([first]);
    const envelope = sealer.seal(plain, context);
    const parts = envelope.split(".");
    const replaced = (index: number, value: string) => parts.with(index, value).join(".");

    expect(() => sealer.open(envelope, { ...context, subject: "eve" })).toThrow(SealError);
    expect(() => sealer.open(envelope, { ...context, purpose: "signing_keys.private_key" })).toThrow(SealError);
    expect(() => sealer.open(replaced(3, Buffer.from("another secret of bytes!").toString("base64url")), context)).toThrow(SealError);
    expect(() => sealer.open(replaced(4, (parts[4] ?? "").slice(0, 6)), context)).toThrow(SealError);
    expect(() => sealer.open(replaced(2, ""), context)).toThrow(SealError);
    expect(() => sealer.open(replaced(0, "v2"), context)).toThrow(SealError);
    expect(() => sealer.open("", context)).toThrow(SealError);
    expect(() => createSealer([second]).open(envelope, context)).toThrow("sealed with the key k1, which ENCRYPTION_KEYS does not hold");
    expect(() => createSealer([{ ...second, id: "k1" }]).open(envelope, context)).toThrow("does not open with the key k1");
  });

  test("of one part does not open in another that has the same ring, and the message names the part's variable", () => {
    const envelope = createSealer([first]).seal(plain, context);
    const other = createSealerOf([first], { label: "sightline.code-index", variable: "CODEINDEX_ENCRYPTION_KEYS" });

    expect(() => other.open(envelope, context)).toThrow("does not open with the key k1 of CODEINDEX_ENCRYPTION_KEYS");
  });

  test("that was sealed before sealing became common to all parts still opens", () => {
    const envelope = "v1.k1.3DAHNBOk5iygVwOv.Fn-jznqJb6WG17RwnTtic8qTrSGbdOKw.a3ms1vN1HimvNV_UCHmkbA";
    expect(createSealer([first]).open(envelope, context)).toEqual(plain);
  });
});
