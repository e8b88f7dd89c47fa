import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import pLimit from "p-limit";

/** Stored instead of a hash: no password opens the account until its owner has chosen one by a mailed link. */
export const NO_PASSWORD = "!";

/** Hashes of strangers' passwords that are computed at once: half of libuv's threads, so that the others are there for owners. */
const STRANGERS_AT_ONCE = 2;

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

/** argon2id with the library's defaults (19 MiB, 2 passes), which are OWASP's. */
export function createPasswordHasher() {
  let decoy: Promise<string> | undefined;
  const inTurn = pLimit(STRANGERS_AT_ONCE);

  /** Takes equally long without a hash, so that the response time does not tell whether the account exists. */
  async function verifyNow(stored: string | undefined, password: string): Promise<boolean> {
    decoy ??= hash(randomBytes(32));
    const passwordHash = stored === NO_PASSWORD ? undefined : stored;
    const matches = await verify(passwordHash ?? (await decoy), normalise(password));
    return passwordHash !== undefined && matches;
  }

  return {
    hash: (password: string): Promise<string> => hash(normalise(password)),
    verify: verifyNow,
    /** The same for somebody whom nothing is known of yet: a crowd of them keeps only itself waiting. */
    verifyInTurn: (stored: string | undefined, password: string): Promise<boolean> => inTurn(() => verifyNow(stored, password)),
  };
}

/** The same password typed on another keyboard may arrive as other code points. */
function normalise(password: string): string {
  return password.normalize("NFKC");
}
