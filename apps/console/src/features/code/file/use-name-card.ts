import { type FocusEvent, type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";

/** A name in the code, where on the screen it is, and where in its line: from 1. */
export type ShownName = { readonly name: string; readonly at: DOMRect; readonly line: string; readonly column: number };

/** So long a pointer rests on a name before its card is shown, and is away from both before it is gone. */
const REST_MS = 250;
const AWAY_MS = 200;

/** Which name's card is shown: that of the name under the pointer or with the focus. Escape and scrolling take it away. */
export function useNameCard() {
  const [shown, setShown] = useState<ShownName>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function soon(next: ShownName | undefined, milliseconds: number): void {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setShown(next), milliseconds);
  }

  const hide = () => soon(undefined, 0);
  return {
    shown,
    hide,
    stay: () => clearTimeout(timer.current),
    leave: () => soon(undefined, AWAY_MS),
    on: {
      onPointerOver: ({ target, pointerType }: PointerEvent) => {
        const name = nameAt(target);
        if (pointerType === "mouse" && name !== undefined) {
          soon(name, REST_MS);
        } else if (pointerType === "mouse") {
          soon(undefined, AWAY_MS);
        }
      },
      onPointerLeave: () => soon(undefined, AWAY_MS),
      onFocus: ({ target }: FocusEvent) => {
        const name = nameAt(target);
        if (name !== undefined && target.matches(":focus-visible")) {
          soon(name, 0);
        }
      },
      onBlur: () => soon(undefined, AWAY_MS),
      onKeyDown: ({ key }: KeyboardEvent) => {
        if (key === "Escape") {
          hide();
        }
      },
    },
  };
}

/** The name that an event is of. */
export function nameAt(target: EventTarget): ShownName | undefined {
  const element = target instanceof HTMLElement ? target : undefined;
  const name = element?.dataset["name"];
  const line = element?.closest<HTMLElement>("[data-line]")?.dataset["line"];
  return element === undefined || name === undefined || line === undefined
    ? undefined
    : { name, at: element.getBoundingClientRect(), line, column: columnOf(element) };
}

function columnOf(piece: Element): number {
  const before = piece.previousElementSibling;
  return before === null ? 1 : columnOf(before) + (before.textContent?.length ?? 0);
}
