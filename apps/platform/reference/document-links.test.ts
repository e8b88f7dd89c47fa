import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { anchorsOf, readDocuments, root, type Page } from "#testing/read-documents.ts";

const pages = await readDocuments();

/** `[text](target)` and `![text](target)`, without addresses of the network. */
function linksOf({ prose }: Page): readonly string[] {
  const links = [...prose.replaceAll(/`[^`\n]*`/g, "").matchAll(/\]\(<?([^)\s>]+)>?\)/g)].map(([, target = ""]) => target);
  return links.filter((target) => !/^[a-z]+:/.test(target));
}

test("every link between documents leads to a file and a heading that are there", () => {
  const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]));
  const broken = pages.flatMap((page) =>
    linksOf(page).flatMap((link) => {
      const [target = "", anchor] = link.split("#");
      const path = target === "" ? page.path : normalize(join(dirname(page.path), target));
      const leads = existsSync(join(root, path)) && (anchor === undefined || anchors.get(path)?.has(anchor) !== false);
      return leads ? [] : [`${page.path}: ${link}`];
    }),
  );
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(50);
  expect(broken).toEqual([]);
});

/** Paths of files that belong to nobody but the reader. */
const READERS_OWN = new Set(["agent.py", "./file.ts", "NNNN_what_it_does.up.sql", ".down.sql"]);

test("every path of a source that a document names is there", () => {
  const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  const named = pages
    .filter(({ path }) => !path.endsWith("CHANGELOG.md"))
    .flatMap(({ path, prose }) =>
      [...prose.matchAll(/`([\w@./-]+\.(?:ts|tsx|cjs|mjs|sql|sh|py|css))`/g)].map(([, name = ""]) => ({ path, name })),
    );
  const missing = named.filter(({ name }) => !READERS_OWN.has(name) && !files.some((file) => `/${file}`.endsWith(`/${name}`)));
  expect(named.length).toBeGreaterThan(50);
  expect(missing.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
});

test("every block of commands is run by a test, or says why not", () => {
  const commands = pages.flatMap(({ fences }) => fences).filter(({ info }) => /^(sh|bash|shell|console)\b/.test(info));
  const unmarked = commands.filter(({ info }) => !/^sh (run( stopped)?|not-run: .+)$/.test(info));
  expect(commands.length).toBeGreaterThan(5);
  expect(unmarked.map(({ page, line, info }) => `${page}:${line} \`${info}\``)).toEqual([]);
});

test("every document is reached from README.md or docs/README.md", () => {
  const index = pages.filter(({ path }) => path === "README.md" || path === "docs/README.md");
  const reached = new Set(
    index.flatMap((page) => linksOf(page).map((link) => normalize(join(dirname(page.path), link.split("#")[0] ?? "")))),
  );
  const unreached = pages.filter(({ path }) => !reached.has(path) && !index.some((page) => page.path === path));
  expect(unreached.map(({ path }) => path)).toEqual([]);
});
