import { glob, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PARTS, type Part } from "./rooms.ts";

/** Whatever imports something, directly or not, that imports it as well. */
function findRings(imports: ReadonlyMap<string, Iterable<string>>): readonly string[] {
  const open = new Map([...imports].map(([from, to]) => [from, [...to]]));
  for (;;) {
    const ground = [...open].filter(([, uses]) => uses.every((used) => !open.has(used)));
    if (ground.length === 0) {
      return [...open.keys()];
    }
    ground.forEach(([from]) => open.delete(from));
  }
}

/** The imports between the folders of a part, those of types too. The part's own files stand above all its folders. */
async function readFolderImports({ folder, source }: Part): Promise<ReadonlyMap<string, Set<string>>> {
  const root = join(fileURLToPath(new URL("..", import.meta.url)), folder, source ?? "");
  const imports = new Map<string, Set<string>>();
  for await (const file of glob("**/*.{ts,tsx}", { cwd: root, exclude: ["**/{node_modules,dist,testing}/**", "**/*.test.{ts,tsx}"] })) {
    const from = dirname(file);
    const text = await readFile(join(root, file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/\b(?:from|import)\s*\(?\s*"([#.][^"]+)"/g)) {
      const to = dirname(specifier.startsWith("#") ? specifier.slice(1) : relative(root, join(root, from, specifier)));
      if (![from, to].includes(".") && from !== to) {
        imports.set(from, (imports.get(from) ?? new Set()).add(to));
      }
    }
  }
  return imports;
}

test.each(PARTS.map((part) => [part.folder, part] as const))("the rooms of %s have no ring", (_folder, { rooms }) => {
  expect(findRings(new Map(Object.entries(rooms).map(([room, { uses }]) => [room, uses])))).toEqual([]);
});

test.each(PARTS.map((part) => [part.folder, part] as const))(
  "the folders of %s import each other without a ring",
  async (_folder, part) => {
    expect(findRings(await readFolderImports(part))).toEqual([]);
  },
);
