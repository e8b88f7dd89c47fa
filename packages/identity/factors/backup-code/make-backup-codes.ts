import { randomInt } from "node:crypto";
import { hash, verify } from "@node-rs/bcrypt";

const COUNT = 10;
const LENGTH = 16;
const GROUP = 4;
const SELECTOR = 2;
const COST = 10;
/** The alphabet is Crockford's base32: no letter that looks like a digit, no U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const FORM = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
/** The hash of an unknown random text: a try for a code that does not exist takes as long as any other. */
const DECOY = "$2b$10$qj.dgFo5mNYT.48exDePkuClKdZqtc0dF8Wd/Rn.U4LBOttqoZD6G";

export type BackupCodes = {
  /** `XXXX-XXXX-XXXX-XXXX`; shown once, kept nowhere. */
  readonly codes: readonly string[];
  /** The stored form of each code: `K7:$2b$10$…`, its first two symbols and its hash. */
  readonly hashes: readonly string[];
};

/** Makes ten codes of 80 bits. Their first two symbols differ within a set, so that a try costs one hash and not ten. */
export async function makeBackupCodes(): Promise<BackupCodes> {
  const bySelector = new Map<string, string>();
  while (bySelector.size < COUNT) {
    const code = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
    bySelector.set(codeSelector(code), code);
  }
  const codes = [...bySelector.values()];
  const hashes = await Promise.all(codes.map(async (code) => `${codeSelector(code)}:${await hash(code, { cost: COST })}`));
  return { codes: codes.map(inGroups), hashes };
}

/** @returns the code without hyphens; undefined when it is not written as a backup code is. */
export function readBackupCode(typed: string): string | undefined {
  const code = normalise(typed);
  return FORM.test(code) ? code : undefined;
}

/** @returns which of the stored hashes the code belongs to. Costs one hash, whatever was typed. */
export async function findBackupCode(hashes: readonly string[], typed: string): Promise<string | undefined> {
  const code = normalise(typed);
  const stored = FORM.test(code) ? hashes.find((entry) => entry.startsWith(`${codeSelector(code)}:`)) : undefined;
  const matches = await verify(code, stored?.slice(SELECTOR + 1) ?? DECOY);
  return matches ? stored : undefined;
}

/** Accepts codes as people type them: in any case, with other hyphens or none, O for 0, I and L for 1. */
function normalise(typed: string): string {
  return typed
    .normalize("NFKC")
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}]/gu, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
}

function codeSelector(code: string): string {
  return code.slice(0, SELECTOR);
}

function inGroups(code: string): string {
  return Array.from({ length: LENGTH / GROUP }, (_, index) => code.slice(index * GROUP, (index + 1) * GROUP)).join("-");
}
