import { describe, expect, it } from "vitest";
import { loginInWords } from "./login-in-words.ts";

describe("how somebody logged in", () => {
  it("is told in words, and what is unknown is left out", () => {
    expect([
      loginInWords(["pwd"]),
      loginInWords(["pwd", "otp"]),
      loginInWords(["pwd", "backup"]),
      loginInWords(["mfa"]),
      loginInWords(["swk", "user", "mfa"]),
      loginInWords(["pwd", "hwk", "user", "mfa"]),
    ]).toEqual(["password", "password and code", "password and backup code", "unknown", "passkey", "password and passkey"]);
  });
});
