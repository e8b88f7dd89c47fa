import { describe, expect, it } from "vitest";
import { findBySuffix } from "./find-by-suffix.ts";

const files = ["README.md", "agent.py", "src/agent.py", "src/tools/agent.py", "src/main/java/com/acme/Agent.java", "web/index.js"];

describe("the file that a path of elsewhere is of", () => {
  it.each([
    ["/app/src/agent.py", "src/agent.py"],
    ["/usr/src/app/src/tools/agent.py", "src/tools/agent.py"],
    ["C:\\work\\src\\tools\\agent.py", "src/tools/agent.py"],
    ["tools/agent.py", "src/tools/agent.py"],
    ["com/acme/Agent.java", "src/main/java/com/acme/Agent.java"],
    ["/app/agent.py", "agent.py"],
    ["/app/agent.py/README.md", "README.md"],
    ["/app/node_modules/x/index.js", undefined],
    ["/app/other.py", undefined],
    ["", undefined],
  ])("%s is %s", (path, found) => {
    expect(findBySuffix(files, path)).toBe(found);
  });
});
