import { expect, test } from "vitest";
import { createIgnore, readAttributes } from "./ignore.ts";

const nothing = { include: [], exclude: [] };

test.for([
  ["dist/\n*.log\n!keep.log\n", "dist/a/b.ts", "ignored by .sightlineignore: dist/"],
  ["dist/\n*.log\n!keep.log\n", "a/x.log", "ignored by .sightlineignore: *.log"],
  ["dist/\n*.log\n!keep.log\n", "a/keep.log", undefined],
  ["dist/\n*.log\n!keep.log\n", "dist/keep.log", "ignored by .sightlineignore: dist/"],
  ["/build\r\n", "build/a", "ignored by .sightlineignore: /build"],
  ["/build\r\n", "src/build/a", undefined],
  ["# build\n\n\\#x\n", "#x", "ignored by .sightlineignore: \\#x"],
  ["# build\n\n", "build/a", undefined],
  ["Build", "build/a", undefined],
  ["**/gen/**/*.go", "a/gen/b/c/d.go", "ignored by .sightlineignore: **/gen/**/*.go"],
  ["größe/", "größe/a", "ignored by .sightlineignore: größe/"],
  ["*", ".sightlineignore", "ignored by .sightlineignore: *"],
] as const)("%j over %s", ([sightlineignore, path, reason]) => {
  expect(createIgnore({ ...nothing, sightlineignore })(path)).toBe(reason);
});

test("only what is included is indexed, less what is excluded, less what the repository itself leaves out", () => {
  const reason = createIgnore({ include: ["src/", "*.md"], exclude: ["*.test.ts"], sightlineignore: "src/old/\n" });
  expect(["src/a.ts", "docs/a.md", "lib/a.ts", "src/a.test.ts", "src/old/a.ts"].map(reason)).toEqual([
    undefined,
    undefined,
    "not among the paths to include",
    "excluded by *.test.ts",
    "ignored by .sightlineignore: src/old/",
  ]);
});

test.for(["./a", "../a", "..", "/etc/passwd", "a\\b", "\\xff", "a//b"])("the path %j of a strange tree is no trouble", (path) => {
  expect(createIgnore({ ...nothing, sightlineignore: "other" })(path)).toBeUndefined();
});

test.for([
  ["a\n*a*a*a*a*b\n", "Line 2 of .sightlineignore can't be used: it has more than 3 wildcards in a part of the path."],
  ["**/**/**/**/a", "Line 1 of .sightlineignore can't be used: it has more than 3 wildcards in a part of the path."],
  ["a".repeat(501), "Line 1 of .sightlineignore can't be used: it is longer than 500 characters."],
  ["a\0", "Line 1 of .sightlineignore can't be used: it holds a NUL character."],
] as const)("a pattern that can't be used is said, not passed over (%#)", ([sightlineignore, message]) => {
  expect(() => createIgnore({ ...nothing, sightlineignore })).toThrow(message);
});

test("patterns made to be slow end with an error, and soon", () => {
  const sightlineignore = Array.from({ length: 500 }, (_, index) => `*a*a*${index}b`).join("\n");
  const reason = createIgnore({ ...nothing, sightlineignore, matchingMs: 200 });
  const began = performance.now();
  expect(() => {
    for (let index = 0; index < 1_000_000; index++) {
      reason(`${"a".repeat(240)}${index}`);
    }
  }).toThrow("takes too long");
  expect(performance.now() - began).toBeLessThan(5_000);
});

test.for([
  ["*.pb.go linguist-generated=true\n", "api/a.pb.go", true],
  ["*.pb.go linguist-generated\n", "api/a.go", false],
  ["# *.go linguist-generated\n*.go text eol=lf\n", "a.go", false],
  ["lib/** text linguist-vendored\r\nlib/own.go -linguist-vendored\r\n", "lib/other.go", true],
  ["lib/** text linguist-vendored\r\nlib/own.go -linguist-vendored\r\n", "lib/own.go", false],
  ["*.go linguist-generated\nmain.go linguist-generated=false\n", "main.go", false],
  ["*a*a*a*a*b linguist-generated\n*.go linguist-documentation linguist-language=Go\n", "a.go", false],
] as const)("the attributes %j over %s", ([attributes, path, expected]) => {
  expect(readAttributes(attributes).isForeign(path)).toBe(expected);
});

test.for([
  ["*.rc working-tree-encoding=UTF-16LE eol=crlf\n", "app.rc", "utf-16le"],
  ["*.c encoding=cp1251\nold/*.c text encoding=sjis\n", "old/a.c", "shift_jis"],
  ["*.c encoding=cp1251\nold/*.c text encoding=sjis\n", "a.c", "windows-1251"],
  ["*.c encoding=klingon\n", "a.c", undefined],
  ["*a*a*a*a*b encoding=latin1\n", "ab", undefined],
] as const)("the encoding that %j says of %s", ([attributes, path, expected]) => {
  expect(readAttributes(attributes).encodingOf(path)).toBe(expected);
});
