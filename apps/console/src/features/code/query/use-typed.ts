import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

const PAUSE_MS = 180;

/** A text that is free to type and reports itself after a pause, every space of it; it follows when what it reports to changes elsewhere. */
export function useTyped(value: string, onSettle: (text: string) => void): readonly [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [reported, setReported] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== reported) {
      setReported(value);
      setText(value);
    }
  }
  const settle = useDebouncedCallback((typed: string) => {
    setReported(typed);
    onSettle(typed);
  }, PAUSE_MS);
  return [
    text,
    (typed) => {
      setText(typed);
      settle(typed);
    },
  ];
}
