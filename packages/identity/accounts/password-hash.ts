import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { readOneTimePassword } from "./one-time-password.ts";

/** Stored instead of a hash: no password opens the account until its owner has chosen one by a mailed link. */
export const NO_PASSWORD = "!";

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

type Cost = { readonly memoryCost: number; readonly timeCost: number };

/** argon2id with 19 MiB and 2 passes, as OWASP recommends. */
const COST: Cost = { memoryCost: 19_456, timeCost: 2 };

/** @param cost KiB of memory and passes over it of a new hash; less for tests alone. */
export function createPasswordHasher(cost = COST) {
  let decoy: Promise<string> | undefined;
  return {
    hash: (password: string): Promise<string> => hash(normalise(password), cost),
    /** Takes equally long without a hash, so that the response time does not tell whether the account exists. */
    verify: async (stored: string | undefined, password: string): Promise<boolean> => {
      decoy ??= hash(randomBytes(32), cost);
      const passwordHash = stored === NO_PASSWORD ? undefined : stored;
      const against = passwordHash ?? (await decoy);
      const typed = normalise(password);
      const meant = readOneTimePassword(typed);
      const matches = (await verify(against, typed)) || (meant !== undefined && meant !== typed && (await verify(against, meant)));
      return passwordHash !== undefined && matches;
    },
  };
}

/** A password typed on another keyboard may arrive as other code points. */
function normalise(password: string): string {
  return password.normalize("NFKC");
}
