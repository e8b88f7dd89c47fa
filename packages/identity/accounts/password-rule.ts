import { AppError } from "@sightline/foundation/errors";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

/** @throws {AppError} 400 `password_too_common`. */
export function refuseGuessable(password: string, email: string): void {
  if (isGuessable(password, email)) {
    throw new AppError({
      code: "password_too_common",
      status: 400,
      message: "This password is among the first that are guessed. Choose a longer phrase of your own.",
    });
  }
}

/** Whether a guesser tries it first. Length is checked by the schemas. */
export function isGuessable(password: string, email: string): boolean {
  const plain = password.normalize("NFKC").toLowerCase();
  const name = email.split("@")[0]?.toLowerCase() ?? "";
  const withoutEnd = plain.replace(/[\d\W_]+$/, "");
  const isRepeated = /^(.{1,4})\1*$/s.test(plain);
  return (
    isRepeated || COMMON_PASSWORDS.has(plain) || COMMON_PASSWORDS.has(withoutEnd) || plain === email.toLowerCase() || withoutEnd === name
  );
}
