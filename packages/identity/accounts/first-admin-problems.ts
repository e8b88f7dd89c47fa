import type { IdentityConfig } from "#config.ts";
import { isGuessable } from "./password-rule.ts";

/** A name below `.localhost` can never be someone's real address (RFC 6761). */
export const FALLBACK_EMAIL = "admin@sightline.localhost";

export type Given = Pick<IdentityConfig, "ADMIN_EMAIL" | "ADMIN_PASSWORD">;

/** The problems with ADMIN_EMAIL and ADMIN_PASSWORD, for checks that run before anything is started. */
export function problemsOfFirstAdmin({ ADMIN_EMAIL, ADMIN_PASSWORD }: Given): readonly string[] {
  return ADMIN_PASSWORD !== undefined && isGuessable(ADMIN_PASSWORD, ADMIN_EMAIL ?? FALLBACK_EMAIL)
    ? [
        "ADMIN_PASSWORD is not valid: it is among the first that are guessed; set a longer phrase of your own, or leave it out to have a one-time password printed",
      ]
    : [];
}
