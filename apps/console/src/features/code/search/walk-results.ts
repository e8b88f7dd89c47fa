import type { KeyboardEvent } from "react";

const RESULTS = "#results a[data-result]";

export function focusFirstResult(): void {
  document.querySelector<HTMLElement>(RESULTS)?.focus();
}

/** Up and down from result to result, and from the first back into the field. */
export function walkResults(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") {
    return;
  }
  const links = [...document.querySelectorAll<HTMLElement>(RESULTS)];
  const at = links.findIndex((link) => link === document.activeElement);
  event.preventDefault();
  const next = links[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (next !== undefined) {
    next.focus();
  } else if (event.key === "ArrowUp") {
    document.querySelector<HTMLElement>("search input[role=combobox]")?.focus();
  }
}
