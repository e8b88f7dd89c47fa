import { describe, expect, it } from "vitest";
import { buildFileTree, listFolders, visibleRows } from "./file-tree.ts";

const paths = ["README.md", "src/main/java/App.java", "src/main/java/Shop.java", "docs/b.md", "docs/a.md", "docs/deep/c.md"];

function shown(open: readonly string[]): readonly string[] {
  return visibleRows(buildFileTree(paths), new Set(open)).map(
    ({ depth, name, kind }) => `${"  ".repeat(depth)}${name}${kind === "folder" ? "/" : ""}`,
  );
}

describe("the tree of a repository's files", () => {
  it("shows folders before files, by name, and nothing of closed folders", () => {
    expect(shown([])).toEqual(["docs/", "src/main/java/", "README.md"]);
  });

  it("shows a chain of folders that hold nothing else as one", () => {
    expect(shown(["src/main/java"])).toEqual(["docs/", "src/main/java/", "  App.java", "  Shop.java", "README.md"]);
  });

  it("shows an open folder's own folders and files", () => {
    expect(shown(["docs", "docs/deep"])).toEqual(["docs/", "  deep/", "    c.md", "  a.md", "  b.md", "src/main/java/", "README.md"]);
  });

  it("opens every folder on the way to a file", () => {
    expect(shown(listFolders("src/main/java/App.java"))).toContain("  App.java");
    expect(listFolders("README.md")).toEqual([]);
  });
});
