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

  test("a document is its words: of tags and images those that a reader sees", () => {
    const readme = [
      '<div align="center">\n<a href="https://shop.test"><img src="https://shop.test/logo.png" alt="The shop" width="500"></a>\n</div>',
      '<h1 align="center">Sells things</h1>',
      "<!-- badges -->",
      "[![Build passes](https://shop.test/ci.svg)](https://shop.test/ci)",
      "Press <kbd>Enter</kbd> to pay.<br>",
      "<script>alert(1)</script>",
    ].join("\n\n");
    const html = renderToStaticMarkup(createElement(Markdown, { text: readme, asDocument: true }));
    expect(html).toContain("<p>The shop</p>");
    expect(html).toMatch(/data-level="1">Sells things</);
    expect(html).toMatch(/title="https:\/\/shop\.test\/ci\.svg">Build passes<\/span><\/a>/);
    expect(html).toContain("Press Enter to pay.");
    expect(html).not.toMatch(/badges|<img|<script|&lt;|<kbd/);
  });

  test.each(["<!--<img alt=", "<img ", "<script ", "<a alt='"])("a document of %s without an end is read at once", (tag) => {
    const before = process.cpuUsage().user;
    renderToStaticMarkup(createElement(Markdown, { text: `<div>\n${tag.repeat(100_000)}`, asDocument: true }));
    expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
  });

  test("shows characters that would turn its order, in words and in code", () => {
    const html = rendered("say **no\u202Eon** and\n\n```\nif \u2066x\n```");
    expect(html).toContain('data-code="U+202E"');
    expect(html).toContain('data-code="U+2066"');
    expect(html.replaceAll(/<[^>]+>/g, "")).toContain("no\u202Eon");
    expect(html).not.toContain("<bdo");
  });
});
