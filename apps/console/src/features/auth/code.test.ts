import { describe, expect, it } from "vitest";
import { onlyDigits, isWhole, explainMissing, normaliseCode, tidyBackupCode } from "./code.ts";

describe("the code of an authenticator app", () => {
  it.each(["123456", "123 456", " 123-456\n", "123\u00a0456", "１２３４５６", "code: 123456"])("is its six digits in %j", (text) => {
    expect(onlyDigits(text)).toBe("123456");
  });

  it("is whole with six digits, and more are not taken", () => {
    expect([isWhole("totp", "12345"), isWhole("totp", "123 456"), onlyDigits("1234567")]).toEqual([false, true, "123456"]);
  });
});

it("that is not whole is told from one that is, in words", () => {
  expect(explainMissing("totp", "12345")).toBe("Enter all six digits that the app shows for Sightline now.");
  expect(explainMissing("backup_code", "K7QX-01AB")).toBe("A backup code has 16 letters and digits. Enter the whole code.");
  expect([explainMissing("totp", "123 456"), explainMissing("backup_code", "k7qx01ab9zz10000")]).toEqual([undefined, undefined]);
});

describe("a backup code", () => {
  it.each(["K7QX-01AB-9ZZ1-0000", "k7qx 01ab 9zz1 0000", "k7qxo1ab9zzlOOoo", " K7QX-O1AB-9ZZI-OOOO "])("is tidied from %j", (text) => {
    expect(tidyBackupCode(text)).toBe("K7QX-01AB-9ZZ1-0000");
  });

  it("is whole with sixteen symbols", () => {
    expect([isWhole("backup_code", "K7QX-01AB-9ZZ1-000"), isWhole("backup_code", "k7qx01ab9zz10000")]).toEqual([false, true]);
  });

  it("with too many symbols keeps them, so that nothing else is sent than what was typed", () => {
    expect(isWhole("backup_code", "K7QX-01AB-9ZZ1-00001")).toBe(false);
    expect(normaliseCode("backup_code", "K7QX-01AB-9ZZ1-00001")).toBe("K7QX-01AB-9ZZ1-0000-1");
  });
});
