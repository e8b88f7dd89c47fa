import { expect, test } from "vitest";
import { detectLanguage } from "./languages.ts";

test.for([
  ["src/a.ts", "", "typescript"],
  ["src/A.TSX", "", "tsx"],
  ["constructor", "", "text"],
  ["Dockerfile.dev", "", "dockerfile"],
  ["include/a.h", "struct a { int class_id; };\nint f(void);\n", "c"],
  ["include/a.h", "#pragma once\nnamespace a {\nclass B;\n}\n", "cpp"],
  ["include/a.h", "#include <string>\nint f(std::string text);\n", "cpp"],
  ["include/a.h", "#include <string.h>\n/* a class of its own */\nint using_it(void);\n", "c"],
  ["bin/run", "#!/usr/bin/env bash\n", "bash"],
  ["bin/run", "#!/usr/bin/python3.11\n", "python"],
  ["bin/run", "#!/usr/bin/env -S node --test\n", "javascript"],
  ["bin/run", "run", "text"],
] as const)("%s that begins with %j is %s", ([path, content, language]) => {
  expect(detectLanguage(path, Buffer.from(content))).toBe(language);
});
