import { fullSessionSchema } from "@sightline/identity/contract";
import { z } from "zod";
import { ApiError, hasCode } from "./api-error.ts";
import { type NewLogin, createNewLogin } from "./new-login.ts";
import { type Call, type Download, type Fetch, open, send } from "./send.ts";

/** Runs one refresh at a time over all tabs, since a refresh token is good for one use. */
export type Exclusive = <Result>(run: () => Promise<Result>) => Promise<Result>;

export type Api = {
  /**
   * Sends a call with the session's token; refreshes it once when the API refuses the token itself. When the session has
   * ended, the call waits for a login over the open page.
   */
  request<Answer>(call: Call<Answer>): Promise<Answer>;
  /** Does the same for a file, whose body is then the caller's to read. */
  download(download: Download): Promise<Response>;
  /** Takes over the token of a fresh login. */
  signIn(accessToken: string): void;
  /** Ends the session on the server and forgets the token. */
  signOut(): Promise<void>;
  /** Whether there is a session, asking the refresh cookie for one when this page has no token yet. */
  hasSession(): Promise<boolean>;
  /** What waits since the session ended under an open page. */
  readonly newLogin: NewLogin;
};

/** Browsers offer locks only on https and localhost; elsewhere tabs are not kept apart. */
export const exclusiveOverTabs: Exclusive = async (run) => {
  const locks: LockManager | undefined = navigator.locks;
  return locks === undefined ? run() : locks.request("sightline-session", run);
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
  let hasLeft = false;
  const newLogin = createNewLogin();

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
      hasLeft = false;
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        accessToken = undefined;
        return false;
      }
      throw error;
    }
  }

  async function withToken<Result>(run: (token: string | undefined) => Promise<Result>): Promise<Result> {
    await newLogin.pending();
    const used = accessToken;
    try {
      return await run(used);
    } catch (error) {
      // A wrong code is a 401 too, and sent again it would cost a second try.
      if (!hasCode(error, "auth_failed") || used === undefined || hasLeft) {
        throw error;
      }
      // Another call may have refreshed meanwhile; then its token is the one to use.
      if ((accessToken !== undefined && accessToken !== used) || (await refresh()) || (await newLogin.wait())) {
        return run(accessToken);
      }
      onSessionEnd();
      throw error;
    }
  }

  return {
    request: (call) => (call.anonymous === true ? send(fetch, call) : withToken((token) => send(fetch, call, token))),
    download: (download) => withToken((token) => open(fetch, download, token)),
    signIn(token) {
      accessToken = token;
      hasLeft = false;
      newLogin.settle(true);
    },
    async signOut() {
      // From here on a refused call is no reason to ask who is there.
      hasLeft = true;
      try {
        await send(fetch, { part: "identity", method: "POST", path: "/logout", answer: z.unknown() }, accessToken);
      } catch (error) {
        hasLeft = false;
        throw error;
      }
      accessToken = undefined;
    },
    hasSession: async () => accessToken !== undefined || refresh(),
    newLogin,
  };
}
