import { expect, test } from "vitest";
import { fileKindOf } from "./file-kind.ts";

test.for([
  ["src/Polly.Core.Tests/Retry.cs", "test"],
  ["Tests/KingfisherTests/Cache.swift", "test"],
  ["library/src/androidTest/java/A.kt", "test"],
  ["lib/integration_test/a.dart", "test"],
  ["test_suite/tests/a.rs", "test"],
  ["benches/scan.rs", "test"],
  ["bench/main.c", "test"],
  ["pkg/conftest.py", "test"],
  ["pkg/a_test.go", "test"],
  ["src/RetrySpec.scala", "test"],
  ["_examples/hello/main.go", "example"],
  ["Example/App/Main.swift", "example"],
  ["Polly.Samples/Program.cs", "example"],
  ["pkg/static/js/app.js", "generated"],
  ["web/dist/a.js", "generated"],
  ["Docs/guide.html", "document"],
  ["README.md", "document"],
  ["types/a.d.ts", "declaration"],
  ["deps/lua/lua.c", "vendored"],
  ["third-party/a.c", "vendored"],
  ["src/latest/contest.ts", "source"],
  ["src/testify/suite.go", "source"],
  ["src/attest.rs", "source"],
  ["src/static/resolve.ts", "source"],
  ["src/deps/graph.rs", "source"],
] as const)("%s is for %s", ([path, kind]) => {
  expect(fileKindOf(path)).toBe(kind);
});
