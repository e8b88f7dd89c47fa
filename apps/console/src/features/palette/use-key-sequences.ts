import { useEffect, useRef } from "react";

/** Between two keys of a sequence. */
const PAUSE_MS = 1_000;

/** Calls what a sequence such as `g h` stands for when its keys are typed outside of a field. A page that takes a key itself goes before. */
export function useKeySequences(sequences: ReadonlyMap<string, () => void>, { enabled }: { readonly enabled: boolean }): void {
  const latest = useRef(sequences);
  useEffect(() => {
    latest.current = sequences;
  }, [sequences]);
  useEffect(() => {
    if (!enabled) {
      return undefined;
    }
    let typed = "";
    let at = 0;
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
        return;
      }
      typed = event.timeStamp - at < PAUSE_MS && typed !== "" ? `${typed} ${event.key}` : event.key;
      at = event.timeStamp;
      const run = latest.current.get(typed);
      if (run !== undefined) {
        typed = "";
        event.preventDefault();
        run();
      } else if (![...latest.current.keys()].some((sequence) => sequence.startsWith(`${typed} `))) {
        typed = "";
      }
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [enabled]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
}
