import type { HighlightedLine } from "#features/code/highlight/highlighter.ts";

/** A line of code, coloured when its tokens are there. */
export function CodeLine({ text, tokens }: { readonly text: string; readonly tokens: HighlightedLine | undefined }) {
  if (tokens === undefined) {
    return <>{text === "" ? "\n" : text}</>;
  }
  return (
    <>
      {tokens.length === 0
        ? "\n"
        : tokens.map((token, index) => (
            <span key={index} style={{ color: token.color }}>
              {token.text}
            </span>
          ))}
    </>
  );
}
