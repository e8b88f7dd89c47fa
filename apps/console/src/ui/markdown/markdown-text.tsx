import { Suspense } from "react";
import { lazyPart } from "#ui/page/lazy-part.ts";
import classes from "./markdown.module.css";

const Markdown = lazyPart(async () => (await import("./markdown.tsx")).Markdown);

/** What takes longer to lay out than anybody would wait is shown as it was written. */
const MAX_MARKDOWN = 100_000;

/** A text in Markdown. Its renderer loads when it is first needed; until then the text is there as it was written. */
export function MarkdownText({ text }: { readonly text: string }) {
  const plain = <p className={classes.plain}>{text}</p>;
  return text.length > MAX_MARKDOWN ? (
    plain
  ) : (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  );
}
