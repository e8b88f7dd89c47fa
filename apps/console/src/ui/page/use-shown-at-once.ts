import { useState } from "react";

/** A value of the address is shown as chosen at once: the address follows when the page behind it is drawn. */
export function useShownAtOnce<T extends string | readonly string[]>(value: T, onChange: (next: T) => void): [T, (next: T) => void] {
  const [followed, setFollowed] = useState(value);
  const [shown, setShown] = useState(value);
  if (String(followed) !== String(value)) {
    setFollowed(value);
    setShown(value);
  }
  const change = (next: T) => {
    setShown(next);
    onChange(next);
  };
  return [shown, change];
}
