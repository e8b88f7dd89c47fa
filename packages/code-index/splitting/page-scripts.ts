import type { Piece } from "./split-lines.ts";

const SCRIPT = /<script\b[^>]*>|^---[ \t]*\r?$/gim;

/** A script between its tags, and the place where the one before it begins and the one behind it ends. */
export type Script = Piece & { readonly begins: number; readonly ends: number };

/** Where the scripts of a Vue, Svelte or Astro page are: between `<script>` and `</script>`, and Astro's front matter. */
export function findScripts(text: string): readonly Script[] {
  const scripts: Script[] = [];
  let behind = 0;
  for (const { 0: tag, index } of text.matchAll(SCRIPT)) {
    const from = index + tag.length;
    const frontMatter = tag.startsWith("---");
    // Only at the top of a page are three dashes more than a line.
    if (index < behind || (frontMatter && text.slice(0, index).trim() !== "")) {
      continue;
    }
    const end = text.slice(from).search(frontMatter ? /^---/m : /<\/script/i);
    const to = end === -1 ? text.length : from + end;
    behind = to + 1;
    if (to > from) {
      const lineEnd = text.indexOf("\n", to + 1);
      scripts.push({ from, to, begins: index, ends: lineEnd === -1 ? text.length : lineEnd + 1 });
    }
  }
  return scripts;
}
