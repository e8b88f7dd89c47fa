import { useTyped } from "./use-typed.ts";

const PAUSE_MS = 250;

/** A filter that is typed: reported without the space around it once the typing pauses; undefined for none. */
export function useTypedFilter(value: string | undefined, report: (value: string | undefined) => void) {
  return useTyped(
    value ?? "",
    PAUSE_MS,
    (text) => report(text === "" ? undefined : text),
    (typed) => typed.trim(),
  );
}
