import { randomInt } from "node:crypto";

/** Without letters and digits that look alike. */
const ALPHABET = "abcdefghjkmnpqrstvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** About 98 bits, readable: `k7m2q-…` in four groups. */
export function makeOneTimePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}
