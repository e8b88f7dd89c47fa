import { useDeferredValue, useMemo, useState } from "react";
import { type JsonPath, findInJson } from "./json-rows.ts";

/** The search in a value: its text, the places that hold it, and which of them is shown. */
export function useJsonSearch(value: unknown, onMatch: (path: JsonPath) => void) {
  const [typed, setTyped] = useState("");
  const words = useDeferredValue(typed).trim().toLowerCase();
  const { paths, isCut } = useMemo(() => findInJson(value, words), [value, words]);
  const [matched, setMatched] = useState({ words: "", at: 0 });
  // Other words begin at the first place.
  const match = matched.words === words ? matched.at : 0;

  function goTo(next: number): void {
    const at = (next + paths.length) % paths.length;
    const path = paths[at];
    if (path !== undefined) {
      setMatched({ words, at });
      onMatch(path);
    }
  }

  return { typed, setTyped, words, matches: paths.length, isCut, match, goTo };
}

export type JsonSearch = ReturnType<typeof useJsonSearch>;
