import { databaseUnavailable } from "@sightline/foundation/database-unavailable";
import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";

/** Answers an app whose request the database had no time or connection for as every other route does, in OAuth's words (RFC 6749, 4.1.2.1). */
export function answerLater(ctx: KoaContextWithOIDC, error: Error): void {
  const refused = databaseUnavailable(error);
  if (refused === undefined) {
    return;
  }
  ctx.status = refused.status;
  ctx.set({ ...refused.headers });
  // The page for a person is not written yet.
  if (ctx.body !== undefined && ctx.body !== null && ctx.type === "application/json") {
    ctx.body = toldLater(error);
  }
}

/** The error to answer for one of the database; undefined where it does not pass by itself. */
export function toldLater(error: Error): ErrorOut | undefined {
  const refused = databaseUnavailable(error);
  return refused && { error: "temporarily_unavailable", error_description: refused.message };
}
