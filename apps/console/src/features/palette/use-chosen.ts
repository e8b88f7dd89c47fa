import { createSpotlight } from "@mantine/spotlight";
import { useCallback, useLayoutEffect, useRef, useState } from "react";

export const [paletteStore, palette] = createSpotlight();

/**
 * Keeps the right entry chosen while more of them arrive: the first, until someone moves to another; that one from then on, until
 * more is typed. The library marks the first when a key is pressed, and leaves the mark there when a better one comes in above.
 */
export function useChosen(entries: readonly string[]) {
  const isOwnChoice = useRef(false);
  const [active, setActive] = useState<string>();
  // The library moves its mark from element to element, and tells nobody.
  const watch = useCallback((list: HTMLElement | null) => {
    if (list === null) {
      return undefined;
    }
    const observer = new MutationObserver(() => setActive(list.querySelector("[data-selected]")?.id));
    observer.observe(list, { subtree: true, childList: true, attributeFilter: ["data-selected", "id"] });
    return () => observer.disconnect();
  }, []);
  const shown = entries.join("\n");
  useLayoutEffect(() => {
    const list = document.getElementById(paletteStore.getState().listId);
    const places = [...(list?.querySelectorAll("[data-action]") ?? [])];
    const marked = places.findIndex((place) => place.hasAttribute("data-selected"));
    const chosen = isOwnChoice.current && marked !== -1 ? marked : 0;
    if (shown === "" || places.length === 0) {
      return;
    }
    isOwnChoice.current &&= marked === chosen;
    places[marked]?.removeAttribute("data-selected");
    places[chosen]?.setAttribute("data-selected", "true");
    // The arrow keys go on from there.
    paletteStore.updateState((state) => ({ ...state, selected: chosen }));
  }, [shown]);
  return {
    /** The id of the chosen entry's element. */
    active,
    /** The ref of the list. */
    watch,
    onKeyDown: ({ key }: { readonly key: string }): void => {
      isOwnChoice.current ||= key === "ArrowDown" || key === "ArrowUp";
    },
    onType: (): void => {
      isOwnChoice.current = false;
    },
  };
}
