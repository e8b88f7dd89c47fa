import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

const PAUSE_MS = 250;

/** A filter that is typed: reported once the typing pauses, and following the address when that changes otherwise. */
export function useTypedFilter(value: string | undefined, report: (value: string | undefined) => void) {
  const [text, setText] = useState(value ?? "");
  const known = useRef(value);
  const reportLater = useDebouncedCallback((typed: string) => {
    known.current = typed.trim() === "" ? undefined : typed.trim();
    report(known.current);
  }, PAUSE_MS);
  useEffect(() => {
    if (value !== known.current) {
      known.current = value;
      setText(value ?? "");
    }
  }, [value]);
  return {
    text,
    type(typed: string) {
      setText(typed);
      reportLater(typed);
    },
  };
}
