import { type ReactNode, Suspense, lazy, useCallback, useLayoutEffect, useRef, useState } from "react";
import { ApiError, hasCode } from "#http/api-error.ts";
import { StepUpContext, type WithStepUp } from "#features/auth/step-up.ts";

const StepUpDialog = lazy(async () => ({ default: (await import("./step-up-dialog.tsx")).StepUpDialog }));

type Asking = { readonly proved: Promise<void>; readonly settle: (confirmed: boolean) => void };

/** Holds the dialog that any page's action may need; it loads when it is needed. */
export function StepUpProvider({ children }: { readonly children: ReactNode }) {
  const asking = useRef<Asking>(undefined);
  const focused = useRef<Element>(null);
  const [dialog, setDialog] = useState<"not loaded" | "opened" | "closed">("not loaded");

  const withStepUp: WithStepUp = useCallback(async (action) => {
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
      focused.current = document.activeElement;
    }
    setDialog("opened");
    await asking.current.proved;
    return action();
  }, []);

  const close = useCallback((confirmed: boolean) => {
    asking.current?.settle(confirmed);
    asking.current = undefined;
    setDialog("closed");
  }, []);

  /** The dialog is there only once it opens, so it doesn't know where the focus was. */
  function returnFocus(): void {
    setTimeout(() => {
      if (document.activeElement === document.body && focused.current instanceof HTMLElement) {
        focused.current.focus();
      }
    });
  }

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
            onClosed={returnFocus}
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
