/** As `draw-queries.ts` prints them. */
export type Texts = Readonly<Record<"words" | "symbols" | "literals" | "expressions" | "common" | "absent", readonly string[]>>;

type Asked = {
  readonly tool: string;
  readonly kind: keyof Texts;
  readonly texts: readonly string[];
  readonly given: (text: string) => object;
};

/** What is asked of tools by a name or a text, ourselves and a peer. */
export function asked(texts: Texts): readonly Asked[] {
  const of = (tool: string, kinds: readonly (keyof Texts)[], given: (text: string, kind: keyof Texts) => object) =>
    kinds.map((kind) => ({ tool, kind, texts: texts[kind], given: (text: string) => given(text, kind) }));
  return [
    ...of("find_symbol", ["symbols"], (name) => ({ name })),
    ...of("find_references", ["symbols", "common", "absent"], (symbol) => ({ symbol })),
    ...of("grep", ["literals", "expressions", "symbols", "common", "absent"], (pattern, kind) => ({
      pattern,
      regex: kind === "expressions",
    })),
  ];
}
