import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

/**
 * A text that is free to type and reports itself after a pause or at once when told to; it follows when what it reports to
 * changes elsewhere.
 *
 * @param read what is reported of the text; every space of it unless told otherwise
 * @param isUnfinished whether a text waits until it is settled, however long the pause
 */
export function useTyped(
  value: string,
  pauseMs: number,
  onSettle: (text: string) => void,
  read: (typed: string) => string = (typed) => typed,
  isUnfinished: (typed: string) => boolean = () => false,
) {
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
  const report = (typed: string) => {
    setReported(read(typed));
    onSettle(read(typed));
  };
  const later = useDebouncedCallback((typed: string) => {
    if (!isUnfinished(typed)) {
      report(typed);
    }
  }, pauseMs);
  return {
    text,
    type: (typed: string) => {
      setText(typed);
      later(typed);
    },
    settle: () => {
      later.cancel();
      if (text !== reported) {
        report(text);
      }
    },
  };
}

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
