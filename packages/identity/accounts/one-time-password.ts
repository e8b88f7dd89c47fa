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
