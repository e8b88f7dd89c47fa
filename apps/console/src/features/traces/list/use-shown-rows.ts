import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useDeferredValue, useLayoutEffect, useState } from "react";

/** As the style sheet has it, in pixels. */
const ROW_HEIGHT = 42;
/** Fewer than these are all there, for the browser's own search. */
const FEW = 150;
/** As many as a high screen has room for. They are there at once, and the others right after they are painted. */
const SCREEN = 20;

/** Which rows exist, and how much room those before and after them take in pixels. The page scrolls, not the table. */
export function useShownRows(body: RefObject<HTMLElement | null>, count: number) {
  const few = useDeferredValue(FEW, SCREEN);
  const [top, setTop] = useState(0);
  const isVirtual = count > FEW;
  useLayoutEffect(() => {
    // Where all rows are there nobody needs it, and the browser would have to lay out the page before it is whole.
    if (!isVirtual) {
      return;
    }
    const box = body.current?.getBoundingClientRect();
    setTop(box === undefined ? 0 : box.top + window.scrollY);
  }, [body, count, isVirtual]);
  // oxlint-disable-next-line react/incompatible-library -- nothing of it leaves this hook but numbers
  const virtual = useWindowVirtualizer({ count, estimateSize: () => ROW_HEIGHT, overscan: 20, scrollMargin: top, enabled: isVirtual });
  const items = virtual.getVirtualItems();
  const [start, end] = [items[0], items.at(-1)];
  if (!isVirtual || start === undefined || end === undefined) {
    const last = Math.min(count, few);
    return { first: 0, last, before: 0, after: (count - last) * ROW_HEIGHT };
  }
  return {
    first: start.index,
    last: end.index + 1,
    before: start.index * ROW_HEIGHT,
    after: (count - end.index - 1) * ROW_HEIGHT,
  };
}
