import { expect, test } from "vitest";
import { parseQuery } from "./parse-query.ts";
import { readReport } from "./read-report.ts";

const REPORT = `[Bug]: Template cache keeps a deleted file

### Describe the bug

- [x] I have searched the existing issues

When a template is removed from disk, \`renderTemplate\` still answers with the old text. I expected an error, and only a restart of the
server helps. See https://example.org/issues/7 for more.

\`\`\`
Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/stencil/loaders.py", line 88, in get_source
    raise TemplateNotFound(name)
stencil.errors.TemplateNotFound: cached entry is stale and cannot be reloaded: "a.html"
\`\`\`

Version 3.1 on Linux
`;

test("a report's title counts most, its prose more than what was printed, its template nothing", () => {
  const { words } = readReport(REPORT);
  const weightOf = (term: string) => words.find((word) => word.term === term)?.weight ?? 0;
  expect(words[0]?.weight).toBe(1);
  expect(weightOf("cache")).toBe(1);
  expect(weightOf("restart")).toBeLessThan(weightOf("cache"));
  expect(weightOf("raise")).toBeLessThan(weightOf("restart"));
  expect(weightOf("raise")).toBeGreaterThan(0);
  expect(words.map(({ term }) => term)).not.toEqual(expect.arrayContaining(["searched"]));
  expect(["bug", "describe", "issues", "https", "3", "version"].map(weightOf)).toEqual([0, 0, 0, 0, 0, 0]);
});

test("the vector of a report is that of its title, unless a program printed it", () => {
  expect(parseQuery(REPORT).meant).toBe("[Bug]: Template cache keeps a deleted file");
  const printed = REPORT.replace("[Bug]: Template cache keeps a deleted file", "TemplateNotFound: cached entry is stale");
  expect(parseQuery(printed)).toMatchObject({ shape: "report", meant: printed.trim() });
  expect(parseQuery("how are templates cached repo:a/b").meant).toBe("how are templates cached");
});

test("the files and lines of a traceback, identifiers and messages are taken from it", () => {
  const { names, places, messages } = readReport(REPORT);
  expect(names[0]).toBe("renderTemplate");
  expect(names).toContain("TemplateNotFound");
  expect(places).toEqual([
    { path: "usr/lib/python3/site-packages/stencil/loaders.py", line: 88 },
    { path: "a.html", line: undefined },
  ]);
  expect(messages).toContain("cached entry is stale and cannot be reloaded");
});

test.for([
  ["    at Object.open (/app/node_modules/kit/src/reply.js:7:12)", "app/node_modules/kit/src/reply.js", 7],
  ["\tat org.acme.Kit.open(Kit.java:42)", "Kit.java", 42],
  ["\t/go/src/acme/retry.go:17 +0x1d", "go/src/acme/retry.go", 17],
  ["PHP Fatal error: boom in /srv/app/Kit.php on line 9", "srv/app/Kit.php", 9],
  [String.raw`   at Acme.Kit.Open() in C:\src\Kit.cs:line 31`, "src/Kit.cs", 31],
  ["thread 'main' panicked at src/kit.rs:5:9:", "src/kit.rs", 5],
] as const)("a frame as %s names its file and line", ([frame, path, line]) => {
  const { places } = readReport(`It breaks\n\n${frame}`);
  expect(places.map((place) => ({ ...place, path: place.path.replace(/^C:\//, "") }))).toContainEqual({ path, line });
});

test.for([
  [REPORT, "report"],
  ["how are templates cached\nand when are they dropped", "natural"],
  ["TypeError: Cannot read properties of undefined (reading 'map')", "error"],
  ["func (h *Head) Append() {\n\treturn h.samples[0]\n}", "literal"],
  ["where are samples appended", "natural"],
  ['It fails\n  File "a/b.py", line 3, in c\n  File "a/d.py", line 4, in e', "report"],
] as const)("%j is read as a %s", ([text, shape]) => {
  expect(parseQuery(text).shape).toBe(shape);
});

test("a text as long as it may be is read at once", () => {
  const began = performance.now();
  readReport(`title\n${"at x (a/b.c:1) foo_bar baz, ".repeat(4_000)}`);
  readReport("a/".repeat(50_000));
  readReport(`${"(".repeat(20_000)}${"a.".repeat(40_000)}`);
  expect(performance.now() - began).toBeLessThan(2_000);
});
