/** Walks from trace to trace with the keys: puts the focus on the link of the next or previous row, or of the first. */
export function walkRows(body: HTMLElement | null, step: 1 | -1): void {
  const links = [...(body?.querySelectorAll<HTMLElement>("a[data-trace]") ?? [])];
  const row = document.activeElement?.closest("tr");
  const at = links.findIndex((link) => link.closest("tr") === row);
  const next = at === -1 ? links.find(isOnScreen) : links[at + step];
  if (next !== undefined) {
    next.focus({ preventScroll: true });
    next.closest("tr")?.scrollIntoView({ block: "nearest" });
  } else if (step === -1) {
    document.querySelector<HTMLElement>("search input[role=combobox]")?.focus();
  }
}

function isOnScreen(element: HTMLElement): boolean {
  return element.getBoundingClientRect().top >= 0;
}
