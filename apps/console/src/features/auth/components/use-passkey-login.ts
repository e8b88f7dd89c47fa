import { useEffect, useEffectEvent, useState } from "react";
import { useApi } from "#http/api-context.ts";
import { useChange } from "#http/use-change.ts";
import { logInByPasskey, loginRequest, sendLogin } from "#features/auth/api/passkeys.ts";
import { offerPasskeys, passkeysWork, stopAskingForPasskeys } from "#features/auth/passkey.ts";

type Chosen = NonNullable<Awaited<ReturnType<typeof offerPasskeys>>>;

/** What a passkey is asked counts for five minutes. */
const OFFER_MS = 240_000;

/**
 * A login by passkey alone: by a button, or chosen among what the browser fills into the field of the address.
 *
 * @returns undefined where passkeys can't be used, or are not `wanted`.
 */
export function usePasskeyLogin({ wanted, onLoggedIn }: { readonly wanted: boolean; readonly onLoggedIn: () => void }) {
  const api = useApi();
  const isOffered = wanted && passkeysWork();
  const [round, setRound] = useState(0);
  const login = useChange({
    send: (chosen: Chosen | undefined) => (chosen === undefined ? logInByPasskey(api) : api.request(sendLogin(chosen))),
    onSuccess({ access_token: token }) {
      api.signIn(token);
      onLoggedIn();
    },
    // One request of a browser ends the other, so that the offer is made anew.
    onError: () => setRound((before) => before + 1),
  });

  const logIn = useEffectEvent((chosen: Chosen) => login.mutate(chosen));
  useEffect(() => {
    if (!isOffered) {
      return undefined;
    }
    let isOver = false;
    void offerPasskeys(() => api.request(loginRequest)).then((chosen) => {
      if (chosen !== undefined && !isOver) {
        logIn(chosen);
      }
    });
    const renewal = setTimeout(() => setRound(round + 1), OFFER_MS);
    return () => {
      isOver = true;
      clearTimeout(renewal);
      void stopAskingForPasskeys();
    };
  }, [api, isOffered, round]);

  return isOffered ? login : undefined;
}
