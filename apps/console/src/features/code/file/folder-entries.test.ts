import { expect, test } from "vitest";
import { listEntries, folderNamed } from "./folder-entries.ts";

const FILES = ["README.md", "src/pay.ts", "src/pay/retry.ts", "src/pay/gateway.ts", "srcs/a.ts"].map((path) => ({
  path,
  language: "typescript",
  lines: 3,
}));

test("a folder has its folders, then its files, each once", () => {
  const pathsIn = (folder: string) => listEntries(FILES, folder).map(({ path }) => path);
  expect(pathsIn("")).toEqual(["src/", "srcs/", "README.md"]);
  expect(pathsIn("src/")).toEqual(["src/pay/", "src/pay.ts"]);
  expect(pathsIn("src/pay/")).toEqual(["src/pay/gateway.ts", "src/pay/retry.ts"]);
  expect(pathsIn("none/")).toEqual([]);
});

test("a folder is named with or without the slash at its end", () => {
  expect(folderNamed(undefined, FILES)).toBe("");
  expect(folderNamed("src", FILES)).toBe("src/");
  expect(folderNamed("src/pay", FILES)).toBe("src/pay/");
  expect(folderNamed("src//", FILES)).toBe("src/");
  expect(folderNamed("none/", FILES)).toBe("none/");
  expect(folderNamed("src/pay.ts", FILES)).toBeUndefined();
  expect(folderNamed("none", FILES)).toBeUndefined();
});
