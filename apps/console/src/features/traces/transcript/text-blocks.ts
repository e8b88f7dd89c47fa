export type TextBlock = { readonly kind: "text" | "code"; readonly text: string; readonly language: string | undefined };

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;

/** A text's paragraphs and the code between its fences. It stays text: what a model writes is never made HTML. */
export function textBlocks(text: string): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  let lines: string[] = [];
  let fence: { readonly mark: string; readonly language: string | undefined } | undefined;

  function close(kind: TextBlock["kind"], language: string | undefined): void {
    const joined = lines.join("\n");
    if (kind === "code" || joined.trim() !== "") {
      blocks.push({ kind, text: kind === "text" ? joined.replace(/^\n+|\n+$/g, "") : joined, language });
    }
    lines = [];
  }

  for (const line of text.split("\n")) {
    const [, mark, language] = FENCE.exec(line) ?? [];
    if (fence === undefined && mark !== undefined) {
      close("text", undefined);
      fence = { mark, language: language === "" ? undefined : language };
    } else if (fence !== undefined && mark?.startsWith(fence.mark) === true && language === "") {
      close("code", fence.language);
      fence = undefined;
    } else {
      lines.push(line);
    }
  }
  // A fence that was never closed, as in an answer that was cut.
  close(fence === undefined ? "text" : "code", fence?.language);
  return blocks;
}
