import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { SafeText } from "./safe-text.tsx";

test("a character that turns the order is shown by its code, in an element of its own, and stays in what is copied", () => {
  const html = renderToStaticMarkup(createElement(SafeText, { text: "evil\u202Egnp.txt" }));
  expect(html).toMatch(/^evil<span [^>]*data-code="U\+202E"[^>]*>\u202E<\/span>gnp\.txt$/);
  expect(html).toContain('title="U+202E, right-to-left override');
});

test("any other text is only text", () => {
  expect(renderToStaticMarkup(createElement(SafeText, { text: "<b> שלום" }))).toBe("&lt;b&gt; שלום");
});
