import { useEffect, useEffectEvent } from "react";
import { useSingleKeys } from "./single-keys.ts";

/** Listens to single keys, wherever the focus is but in a field or a dialog, or on what Enter presses. `find`: what a key does here. */
export function usePageKeys(find: (event: KeyboardEvent) => (() => unknown) | undefined): void {
  const { areOn } = useSingleKeys();
  const press = useEffectEvent((event: KeyboardEvent) => {
    const act = event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isElsewhere(event) ? undefined : find(event);
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  });
  useEffect(() => {
    if (!areOn) {
      return undefined;
    }
    const listen = (event: KeyboardEvent): void => press(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [areOn]);
}

/** Where keys are text, or belong to what is open above the page. */
function isElsewhere({ target, key }: KeyboardEvent): boolean {
  const others = `input, textarea, select, [role=dialog], [role=menu], [role=listbox]${key === "Enter" ? ", button, a, summary" : ""}`;
  return target instanceof HTMLElement && (target.isContentEditable || target.closest(others) !== null);
}
