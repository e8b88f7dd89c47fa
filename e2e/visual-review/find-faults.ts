import type { Page } from "playwright-core";

/** Text that is cut or lies outside, and a page that scrolls sideways. */
export function findLayoutFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(FIND_LAYOUT_FAULTS);
}

/** The first stops of the tab key that show no sign of having the focus. */
export async function findUnseenFocus(page: Page, stops: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let stop = 0; stop < stops; stop += 1) {
    await page.keyboard.press("Tab");
    const unseen = await page.evaluate<string | null>(NAME_UNSEEN_FOCUS);
    if (unseen !== null) {
      found.push(`focus unseen: ${unseen}`);
    }
  }
  return found;
}

/** Text of the browser's: the end-to-end tests are compiled without its types. */
const NAMED = `const named = (element) =>
  element.tagName.toLowerCase() + " " + JSON.stringify((element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 60));`;

const FIND_LAYOUT_FAULTS = `(() => {
  ${NAMED}
  const faults = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.push("the page scrolls sideways: " + scrollWidth + " of " + clientWidth);
  for (const element of document.querySelectorAll("body *")) {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    // One pixel is how text is hidden from eyes alone.
    if (box.width <= 1 || box.height <= 1 || style.visibility === "hidden" || element.closest("svg, .katex, [aria-hidden=true]")) continue;
    const ownText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!ownText || ["INPUT", "TEXTAREA"].includes(element.tagName)) continue;
    const cut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    if (cut && ["hidden", "clip"].includes(style.overflowX) && style.textOverflow !== "ellipsis") faults.push("text is cut: " + named(element));
    if (cut && style.textOverflow === "ellipsis" && element.closest("[title]") === null && element.closest("a, button, summary") === null)
      faults.push("text is shortened without its whole in a title: " + named(element));
    if (box.right > clientWidth + 1 && !scrolls(element)) faults.push("text lies outside of the page: " + named(element));
  }
  return faults;
  function scrolls(element) {
    for (let outer = element; outer !== null && outer !== document.body; outer = outer.parentElement) {
      if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(outer).overflowX)) return true;
    }
    return false;
  }
})()`;

const NAME_UNSEEN_FOCUS = `(() => {
  ${NAMED}
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const shows = (style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
  const around = [element, element.parentElement, element.nextElementSibling, element.parentElement?.parentElement].filter(Boolean);
  // A field shows it by its border.
  const field = element.matches("input, textarea, [contenteditable]");
  return field || around.some((each) => shows(getComputedStyle(each))) ? null : named(element);
})()`;
