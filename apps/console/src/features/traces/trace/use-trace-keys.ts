import { useEffect, useEffectEvent } from "react";
import { type TraceAction, actionOf } from "./trace-keys.ts";
import { useSingleKeys } from "#ui/single-keys.ts";

/** Listens to the keys of a trace's page, wherever the focus is but in a field or a dialog. */
export function useTraceKeys(act: (action: TraceAction) => void): void {
  const { areOn } = useSingleKeys();
  const press = useEffectEvent((event: KeyboardEvent) => {
    const action = event.defaultPrevented || isElsewhere(event.target) ? undefined : actionOf(event);
    if (action !== undefined) {
      event.preventDefault();
      act(action);
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
function isElsewhere(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, [role=dialog], [role=menu], [role=listbox]") !== null)
  );
}
