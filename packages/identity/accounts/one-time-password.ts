import { randomInt } from "node:crypto";

/** The alphabet leaves out letters and digits that look alike. */
const ALPHABET = "abcdefghjkmnpqrstvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** A random password of about 98 bits in four readable groups: `k7m2q-…`. */
export function makeOneTimePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

const GROUP = new RegExp(`.{${GROUP_LENGTH}}`, "g");
const FORM = new RegExp(`^[${ALPHABET}]{${GROUPS * GROUP_LENGTH}}$`);

/**
 * Reads it as people type it: in any case, with blanks, other hyphens or none. Of symbols that look alike it has none.
 *
 * @returns how it was made; undefined for any other password.
 */
export function readOneTimePassword(typed: string): string | undefined {
  const plain = typed
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}]/gu, "");
  return FORM.test(plain) ? plain.match(GROUP)?.join("-") : undefined;
}
