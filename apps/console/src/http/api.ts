import { fullSessionSchema } from "@sightline/identity/contract";
import { z } from "zod";
import { ApiError, hasCode } from "./api-error.ts";
import { type Call, type Fetch, send } from "./send.ts";

/** Runs one refresh at a time over all tabs, since a refresh token is good for one use. */
export type Exclusive = <Result>(run: () => Promise<Result>) => Promise<Result>;

export type Api = {
  /** Sends a call with the session's token; refreshes it once when the API refuses the token itself. */
  request<Answer>(call: Call<Answer>): Promise<Answer>;
  /** Takes over the token of a fresh login. */
  signIn(accessToken: string): void;
  /** Ends the session on the server and forgets the token. */
  signOut(): Promise<void>;
  /** Whether there is a session, asking the refresh cookie for one when this page has no token yet. */
  hasSession(): Promise<boolean>;
};

/**
 * The console's way to the three APIs. The access token lives in this closure and
 * nowhere else: not in storage, not in a cookie that scripts can read.
 */
export function createApi({
  fetch,
  exclusive,
  onSessionEnd,
}: {
  readonly fetch: Fetch;
  readonly exclusive: Exclusive;
  readonly onSessionEnd: () => void;
}): Api {
  let accessToken: string | undefined;
  let refreshing: Promise<boolean> | undefined;

  function refresh(): Promise<boolean> {
    refreshing ??= exclusive(refreshNow).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refreshNow(): Promise<boolean> {
    try {
      const session = await send(fetch, { part: "identity", method: "POST", path: "/login/refresh", answer: fullSessionSchema });
      accessToken = session.access_token;
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        accessToken = undefined;
        return false;
      }
      throw error;
    }
  }

  return {
    async request(call) {
      const used = call.anonymous === true ? undefined : accessToken;
      try {
        return await send(fetch, call, used);
      } catch (error) {
        // A wrong code is a 401 too, and sent again it would cost a second try.
        if (!hasCode(error, "auth_failed") || used === undefined) {
          throw error;
        }
        // Another call may have refreshed meanwhile; then its token is the one to use.
        if ((accessToken !== undefined && accessToken !== used) || (await refresh())) {
          return send(fetch, call, accessToken);
        }
        onSessionEnd();
        throw error;
      }
    },
    signIn(token) {
      accessToken = token;
    },
    async signOut() {
      await send(fetch, { part: "identity", method: "POST", path: "/logout", answer: z.unknown() }, accessToken);
      accessToken = undefined;
    },
    hasSession: async () => accessToken !== undefined || refresh(),
  };
}
