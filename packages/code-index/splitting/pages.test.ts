import { expect, test } from "vitest";
import { findHeadings } from "./find-names.ts";
import { createGrammars } from "./grammars.ts";
import { findScripts } from "./parse-source.ts";
import { splitFile, type SplitFile } from "./split-file.ts";
import { compileRuntime } from "./parser-runtime.ts";

const grammarOf = createGrammars(compileRuntime());

async function split(language: string, content: string): Promise<SplitFile> {
  return splitFile(Buffer.from(content), language, await grammarOf(language));
}

test("the sections of a Markdown file stand under their headings, and what is fenced is no heading", async () => {
  const filler = (name: string) => `${name} `.repeat(250);
  const text = `# Title\n\n${filler("intro")}\n\n## Set-up ##\n\n${filler("setup")}\n\n\`\`\`sh\n# no heading\n\`\`\`\n\n${filler("more")}\n\n## Use\n\n${filler("use")}\n`;
  const { chunks, definitions } = await split("markdown", text);

  expect(findHeadings(text).map(({ name, from, to }) => [name, text.slice(from, from + 3), text.slice(to, to + 6)])).toEqual([
    ["Title", "# T", ""],
    ["Set-up", "## ", "## Use"],
    ["Use", "## ", ""],
  ]);
  expect(chunks.map(({ content }) => content).join("")).toBe(text);
  expect(chunks.find(({ content }) => content.includes("more"))?.scope).toContain("Title › Set-up");
  expect(definitions).toEqual([]);
});

test.for(["vue", "svelte", "astro"])("the script of a %s page is read as TypeScript", async (language) => {
  const script = 'import { go } from "a";\nexport function load(id: Id): void { go(id); }\n';
  const page =
    language === "astro"
      ? `---\n${script}---\n<p/>\n`
      : `<template>\n  <p>{{ a }}</p>\n</template>\n<script lang="ts">\n${script}</script>\n`;
  const { chunks, definitions, references } = await split(language, page);

  expect(chunks.map(({ content }) => content)).toEqual([page]);
  expect(definitions).toMatchObject([{ name: "load", kind: "function", start_line: language === "astro" ? 3 : 6 }]);
  expect(references).toEqual(expect.arrayContaining(["go", "Id"]));
});

test("a page too long for a chunk is cut at its script, and a page without one by lines", async () => {
  const markup = Array.from({ length: 80 }, (_, line) => `  <p>some text of a page ${line}</p>\n`).join("");
  const page = `<template>\n${markup}</template>\n<script>\nexport function load() {}\n</script>\n<style>\n.a { color: red }\n</style>\n`;
  const { chunks } = await split("vue", page);

  expect(chunks.map(({ content }) => content).join("")).toBe(page);
  expect(chunks.find(({ symbols }) => symbols.includes("load"))?.content).toMatch(/^<script>[^]*<\/script>\n$/);
  expect((await split("vue", `<template>\n${markup}</template>\n`)).definitions).toEqual([]);
});

test("a script that never ends, and one in another's text, are no trouble", () => {
  expect(findScripts("<script>let a")).toMatchObject([{ from: 8, to: 13, begins: 0, ends: 13 }]);
  expect(findScripts("<script>a = '<script>'</script><script></script>")).toMatchObject([{ from: 8, to: 22 }]);
  expect(findScripts("text\n---\na\n---\n")).toEqual([]);
});
