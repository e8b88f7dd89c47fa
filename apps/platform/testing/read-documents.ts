import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type Fence = {
  readonly page: string;
  readonly line: number;
  /** The words behind the backticks, such as `sh run`. */
  readonly info: string;
  readonly text: string;
};

export type Page = { readonly path: string; readonly prose: string; readonly fences: readonly Fence[] };

export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Every document that people read, with its fenced blocks apart from its prose. */
export async function readDocuments(): Promise<readonly Page[]> {
  const folders = ["", "docs", "docs/benchmarks", "docs/reference", "packages/sdk", "bench"];
  const listed = await Promise.all(folders.map(async (folder) => (await readdir(join(root, folder))).map((name) => join(folder, name))));
  const paths = listed.flat().filter((path) => path.endsWith(".md"));
  return Promise.all(paths.map(async (path) => readPage(path, await readFile(join(root, path), "utf8"))));
}

/** Where a heading can be linked to, as GitHub names it. */
export function anchorsOf({ prose }: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose.matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) {
      anchor = `${slug}-${count}`;
    }
    anchors.add(anchor);
  }
  return anchors;
}

function readPage(path: string, text: string): Page {
  const prose: string[] = [];
  const fences: Fence[] = [];
  let open: { readonly indent: string; readonly info: string; readonly line: number; readonly lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const [, indent, info] = /^( *)```(.*)$/.exec(line) ?? [];
    if (indent === undefined || info === undefined) {
      (open?.lines ?? prose).push(open === undefined ? line : line.slice(open.indent.length));
    } else if (open === undefined) {
      open = { indent, info, line: index + 1, lines: [] };
    } else {
      fences.push({ page: path, line: open.line, info: open.info, text: open.lines.join("\n") });
      open = undefined;
    }
  }
  return { path, prose: prose.join("\n"), fences };
}
