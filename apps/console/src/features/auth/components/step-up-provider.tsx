import { type ReactNode, Suspense, useCallback, useLayoutEffect, useRef, useState } from "react";
import { ApiError, hasCode } from "#http/api-error.ts";
import { StepUpContext } from "#features/auth/step-up.ts";
import type { WithStepUp } from "#http/with-step-up.ts";
import { lazyPart } from "#ui/page/lazy-part.ts";
import { useReturnedFocus } from "#ui/keys/returned-focus.ts";

const StepUpDialog = lazyPart(async () => (await import("./step-up-dialog.tsx")).StepUpDialog);

type Asking = { readonly proved: Promise<void>; readonly settle: (confirmed: boolean) => void };

/** Holds the dialog that any page's action may need; it loads when it is needed. */
export function StepUpProvider({ children }: { readonly children: ReactNode }) {
  const asking = useRef<Asking>(undefined);
  const { remember: rememberFocus, giveBack: giveFocusBack } = useReturnedFocus();
  const [dialog, setDialog] = useState<"not loaded" | "opened" | "closed">("not loaded");

  const withStepUp: WithStepUp = useCallback(
    async (action) => {
      try {
        return await action();
      } catch (error) {
        if (!hasCode(error, "step_up_required")) {
          throw error;
        }
      }
      // Two actions at once are one question.
      if (asking.current === undefined) {
        asking.current = ask();
        rememberFocus();
      }
      setDialog("opened");
      await asking.current.proved;
      return action();
    },
    [rememberFocus],
  );

  const close = useCallback((confirmed: boolean) => {
    asking.current?.settle(confirmed);
    asking.current = undefined;
    setDialog("closed");
  }, []);

  // Dialogs listen for the escape key at the window in the order of their making, so the page's own would close with
  // this one, or instead of it. Layout effects come before theirs.
  useLayoutEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.key === "Escape" && !event.isComposing && asking.current !== undefined) {
        event.stopImmediatePropagation();
        close(false);
      }
    }
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, [close]);

  return (
    <StepUpContext value={withStepUp}>
      {children}
      {dialog !== "not loaded" && (
        <Suspense>
          <StepUpDialog
            opened={dialog === "opened"}
            onConfirmed={() => close(true)}
            onCancelled={() => close(false)}
            onClosed={giveFocusBack}
          />
        </Suspense>
      )}
    </StepUpContext>
  );
}

function ask(): Asking {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return {
    proved: promise,
    settle(confirmed) {
      if (confirmed) {
        resolve();
      } else {
        reject(
          new ApiError({ status: 403, code: "step_up_cancelled", message: "You did not confirm that it is you, so nothing was done." }),
        );
      }
    },
  };
}
