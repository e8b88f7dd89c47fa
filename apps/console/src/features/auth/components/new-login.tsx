import { Suspense, useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import { useApi } from "#http/api-context.ts";
import { lazyPart } from "#ui/page/lazy-part.ts";
import { useReturnedFocus } from "#ui/keys/returned-focus.ts";

const NewLoginDialog = lazyPart(async () => (await import("./new-login-dialog.tsx")).NewLoginDialog);

/** Asks for a login over the open page when its session has ended, so that nothing that was typed there is lost. */
export function NewLogin({ email }: { readonly email: string }) {
  const { newLogin } = useApi();
  const isWanted = useSyncExternalStore(newLogin.subscribe, newLogin.isWanted);
  const [wasWanted, setWasWanted] = useState(false);
  const focus = useReturnedFocus();
  if (isWanted && !wasWanted) {
    setWasWanted(true);
  }

  useEffect(() => {
    if (isWanted) {
      focus.remember();
    }
  }, [isWanted, focus]);

  // A dialog of the page below would close with the escape key, and take what was typed with it. Layout effects come before theirs.
  useLayoutEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.key === "Escape" && newLogin.isWanted()) {
        event.stopImmediatePropagation();
      }
    }
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, [newLogin]);

  return <Suspense fallback={null}>{wasWanted && <NewLoginDialog opened={isWanted} email={email} onClosed={focus.giveBack} />}</Suspense>;
}
