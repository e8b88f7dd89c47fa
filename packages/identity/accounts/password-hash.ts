import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";

export type PasswordHasher = {
  readonly hash: (password: string) => Promise<string>;
  /** Takes as long without a hash, so that the time tells nobody whether the account exists. */
  readonly verify: (passwordHash: string | undefined, password: string) => Promise<boolean>;
};

/** argon2id with the library's defaults (19 MiB, 2 passes), which are OWASP's. */
export function createPasswordHasher(): PasswordHasher {
  let decoy: Promise<string> | undefined;
  return {
    hash: (password) => hash(normalise(password)),
    verify: async (passwordHash, password) => {
      decoy ??= hash(randomBytes(32));
      const matches = await verify(passwordHash ?? (await decoy), normalise(password));
      return passwordHash !== undefined && matches;
    },
  };
}

/** The same password typed on another keyboard may arrive as other code points. */
function normalise(password: string): string {
  return password.normalize("NFKC");
}
