import { type ReactNode, useEffect, useRef } from "react";
import { findWords } from "./split-at-words.ts";
import classes from "./marked-words.module.css";

const MAX_MARKS = 1_000;
const NAME = "found-words";

/** Marks words in all that is shown within, as it comes and changes, without changing it; the first of them is scrolled to, once. */
export function MarkedWords({ words, children }: { readonly words: string; readonly children: ReactNode }) {
  const inside = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = inside.current;
    // Older browsers mark nothing.
    if (root === null || words === "" || typeof Highlight === "undefined") {
      return undefined;
    }
    const wanted = new Set(words.split(" "));
    let isShown = false;
    const mark = (): void => {
      const ranges = rangesWithin(root, wanted);
      CSS.highlights.set(NAME, new Highlight(...ranges));
      if (!isShown && ranges[0] !== undefined) {
        isShown = true;
        ranges[0].startContainer.parentElement?.scrollIntoView({ block: "center" });
      }
    };
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [words]);
  return (
    <div ref={inside} className={classes.inside}>
      {children}
    </div>
  );
}

function rangesWithin(root: Node, words: ReadonlySet<string>): readonly Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && ranges.length < MAX_MARKS; node = texts.nextNode()) {
    for (const { from, to } of findWords(node.nodeValue ?? "", words)) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, to);
      ranges.push(range);
    }
  }
  return ranges;
}
