import { createHash, randomBytes } from "node:crypto";

export const TOKEN_PREFIX = "codeindex_";

/** What of a token may be shown later, so that people tell their tokens apart. */
const SHOWN = TOKEN_PREFIX.length + 6;

export type NewDeveloperToken = {
  /** Shown to its owner once, and kept nowhere. */
  readonly token: string;
  readonly prefix: string;
  readonly hash: string;
};

export function createDeveloperToken(): NewDeveloperToken {
  const token = TOKEN_PREFIX + randomBytes(32).toString("base64url");
  return { token, prefix: token.slice(0, SHOWN), hash: hashToken(token) };
}

/** 256 random bits need no slow hash: nobody can guess one. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
