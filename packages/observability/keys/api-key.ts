import { createHash, randomBytes } from "node:crypto";

const PREFIX = "studio_";
const SHOWN = PREFIX.length + 6;

const FORM = /^studio_[0-9a-fA-F]{64}$/;

export type NewApiKey = {
  /** The key itself: shown to its owner once, and stored nowhere. */
  readonly key: string;
  readonly prefix: string;
  readonly hash: string;
};

export function createApiKey(): NewApiKey {
  const key = PREFIX + randomBytes(32).toString("hex");
  return { key, prefix: key.slice(0, SHOWN), hash: hashApiKey(key) };
}

/** `undefined` for a text that can't be a key. */
export function hashIfApiKey(text: string): string | undefined {
  return FORM.test(text) ? hashApiKey(text) : undefined;
}

function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
