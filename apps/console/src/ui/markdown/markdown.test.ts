import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";

const rendered = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

describe("what a model writes", () => {
  test.each([
    ["a script", "<script>alert(1)</script>", "<script"],
    ["a handler", '<img src=x onerror="alert(1)">', "<img"],
    ["HTML within a line", "so <b onclick=alert(1)>bold</b>", "<b "],
    ["a link that runs", "[x](javascript:alert(1))", "href"],
    ["a link hidden in a reference", "[x][y]\n\n[y]: JaVaScRiPt:alert(1)", "href"],
    ["an automatic link that runs", "<javascript:alert(1)>", "href"],
    ["an image from elsewhere", "![x](https://example.com/p.png)", "<img"],
    ["a drawing", "![x](data:image/svg+xml;base64,AAAA)", "<img"],
  ])("becomes no HTML: %s", (_name, text, forbidden) => {
    expect(rendered(text)).not.toContain(forbidden);
  });

  test("is formatted, and its tags are there to be read", () => {
    expect(rendered("**order** [page](https://example.com)")).toContain(
      '<strong>order</strong> <a href="https://example.com" target="_blank" rel="noopener',
    );
    expect(rendered("<context>\nfacts\n</context>")).toContain("&lt;context&gt;\nfacts");
    expect(rendered("![a dot](data:image/png;base64,AAAA)")).toContain('<img src="data:image/png;base64,AAAA"');
  });

  test("shows characters that would turn its order, in words and in code", () => {
    const html = rendered("say **no\u202Eon** and\n\n```\nif \u2066x\n```");
    expect(html).toContain('data-code="U+202E"');
    expect(html).toContain('data-code="U+2066"');
    expect(html.replaceAll(/<[^>]+>/g, "")).toContain("no\u202Eon");
    expect(html).not.toContain("<bdo");
  });
});
