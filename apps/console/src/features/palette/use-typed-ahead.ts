import { type Dispatch, type SetStateAction, useEffect } from "react";

type TypingAhead = {
  /** Whether the palette was asked for. */
  readonly isOpening: boolean;
  readonly onType: Dispatch<SetStateAction<string>>;
  readonly onClose: () => void;
};

/**
 * Takes what is typed between the keys that open the palette and the moment its field has the focus, since the palette is loaded when it is
 * first asked for: the letters belong into it, and neither to the page's own keys nor to a field that has the focus still.
 */
export function useTypedAhead({ isOpening, onType, onClose }: TypingAhead): void {
  useEffect(() => {
    if (!isOpening) {
      return undefined;
    }
    const listen = (event: KeyboardEvent): void => {
      const isThere = event.target instanceof HTMLElement && event.target.closest('[role="dialog"]') !== null;
      if (isThere || event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") {
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === "Escape") {
        onClose();
      } else if (event.key === "Backspace") {
        onType((typed) => typed.slice(0, -1));
      } else if (event.key.length === 1) {
        onType((typed) => typed + event.key);
      }
    };
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, [isOpening, onType, onClose]);
}
