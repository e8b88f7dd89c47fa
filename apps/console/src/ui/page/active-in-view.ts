import { useEffect, useRef } from "react";

/** For a row of links that scrolls sideways where there is little room: brings that of the open page into sight once it is opened. */
export function useActiveInView<Element extends HTMLElement>(page: string) {
  const row = useRef<Element>(null);
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const link = row.current?.querySelector<HTMLElement>('[aria-current="page"], [aria-current="true"]') ?? null;
    if (row.current !== null && link !== null && shown.current !== page) {
      shown.current = page;
      row.current.scrollLeft = link.offsetLeft - (row.current.clientWidth - link.offsetWidth) / 2;
    }
  }, [page]);
  return row;
}
