import { useMemo, useRef } from "react";

/** For a dialog that is there only once it opens, so that it doesn't know where the focus was. The same two functions at every render. */
export function useReturnedFocus() {
  const before = useRef<Element>(null);
  return useMemo(
    () => ({
      remember: () => {
        before.current = document.activeElement;
      },
      /** Unless the focus went somewhere else meanwhile. */
      giveBack: () => {
        setTimeout(() => {
          if (document.activeElement === document.body && before.current instanceof HTMLElement) {
            before.current.focus();
          }
        });
      },
    }),
    [],
  );
}
