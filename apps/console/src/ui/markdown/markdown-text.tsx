import { Suspense } from "react";
import { lazyPart } from "#ui/page/lazy-part.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./markdown.module.css";

const Markdown = lazyPart(async () => (await import("./markdown.tsx")).Markdown);

/** What takes longer to lay out than anybody would wait is shown as it was written. */
const MAX_MARKDOWN = 100_000;

/** A text in Markdown; as a document its headings differ in size, and a break within a paragraph is none. Its renderer loads when it is first needed; until then the text is there as it was written. */
export function MarkdownText({ text, asDocument = false }: { readonly text: string; readonly asDocument?: boolean }) {
  const plain = (
    <p className={classes.plain}>
      <SafeText text={text} />
    </p>
  );
  return text.length > MAX_MARKDOWN ? (
    plain
  ) : (
    <Suspense fallback={plain}>
      <div className={asDocument ? classes.document : undefined}>
        <Markdown text={text} asDocument={asDocument} />
      </div>
    </Suspense>
  );
}
