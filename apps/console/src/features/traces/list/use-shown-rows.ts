import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useState } from "react";

/** As the style sheet has it, in pixels. */
const ROW_HEIGHT = 42;
/** Fewer than these are all there, for the browser's own search. */
const FEW = 150;

/** Which rows exist, and how much room those before and after them take in pixels. The page scrolls, not the table. */
export function useShownRows(body: RefObject<HTMLElement | null>, count: number) {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const box = body.current?.getBoundingClientRect();
    setTop(box === undefined ? 0 : box.top + window.scrollY);
  }, [body, count]);
  // oxlint-disable-next-line react/incompatible-library -- nothing of it leaves this hook but numbers
  const virtual = useWindowVirtualizer({ count, estimateSize: () => ROW_HEIGHT, overscan: 20, scrollMargin: top, enabled: count > FEW });
  const items = virtual.getVirtualItems();
  const [start, end] = [items[0], items.at(-1)];
  if (count <= FEW || start === undefined || end === undefined) {
    return { first: 0, last: count <= FEW ? count : FEW, before: 0, after: count <= FEW ? 0 : (count - FEW) * ROW_HEIGHT };
  }
  return {
    first: start.index,
    last: end.index + 1,
    before: start.index * ROW_HEIGHT,
    after: (count - end.index - 1) * ROW_HEIGHT,
  };
}
