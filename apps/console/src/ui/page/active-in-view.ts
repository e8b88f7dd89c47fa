import { useEffect, useRef } from "react";

/** For a row of links that scrolls sideways where there is little room: brings that of the open page into sight. */
export function useActiveInView<Element extends HTMLElement>(page: string) {
  const row = useRef<Element>(null);
  useEffect(() => {
    const link = row.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (row.current !== null && link !== null && link !== undefined) {
      row.current.scrollLeft = link.offsetLeft - (row.current.clientWidth - link.offsetWidth) / 2;
    }
  }, [page]);
  return row;
}
