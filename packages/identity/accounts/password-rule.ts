import { AppError } from "@sightline/foundation/errors";
import { COMMON_PASSWORDS } from "./common-passwords.ts";

/**
 * Length is checked by the schemas; here what a guesser tries first.
 *
 * @throws {AppError} 400 `password_too_common`.
 */
export function refuseGuessable(password: string, email: string): void {
  const plain = password.normalize("NFKC").toLowerCase();
  const name = email.split("@")[0]?.toLowerCase() ?? "";
  const withoutEnd = plain.replace(/[\d\W_]+$/, "");
  const isRepeated = /^(.{1,4})\1*$/s.test(plain);
  if (
    isRepeated ||
    COMMON_PASSWORDS.has(plain) ||
    COMMON_PASSWORDS.has(withoutEnd) ||
    plain === email.toLowerCase() ||
    withoutEnd === name
  ) {
    throw new AppError({
      code: "password_too_common",
      status: 400,
      message: "This password is among the first that are guessed. Choose a longer phrase of your own.",
    });
  }
}
