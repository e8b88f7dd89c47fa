import { expect, test } from "vitest";
import { languageOf } from "./languages.ts";
import { symbolsOf } from "./symbols.ts";

test.for([
  [
    "a.ts",
    "export async function readIt() {}\nclass Reader<T> {\n  private async next(value: T): Promise<void> {\n    if (x) {\n",
    ["readIt", "Reader", "next"],
  ],
  ["a.tsx", "export const useThing = (a: string) => a;\ntype Props = {};\nexport const LIMIT = 3;", ["useThing", "Props", "LIMIT"]],
  ["a.js", "exports.parse = parse\nRequest.prototype.send = function () {}", ["parse", "send"]],
  ["a.py", "class A:\n    async def run(self):\n        x = 1\nLIMIT = 2", ["A", "run", "LIMIT"]],
  ["a.go", "func (s *Server) Start(ctx context.Context) error {\ntype Server struct {\nvar ErrX = 1", ["Start", "Server", "ErrX"]],
  ["a.rs", "pub(crate) async fn spawn<T>() {}\npub struct Handle;\nmacro_rules! ready {", ["spawn", "Handle", "ready"]],
  ["A.java", "public final class A {\n  public static void main(String[] args) {\n", ["A", "main"]],
  ["a.c", "struct client {\nvoid *zmalloc(size_t size) {\n#define MAX 3\n  return call(x);", ["client", "zmalloc", "MAX"]],
  ["a.cpp", "int Server::start(int port) {\nnamespace net {", ["Server::start", "net"]],
  ["a.rb", "def self.open(x)\nclass Thing", ["open", "Thing"]],
  ["a.sql", "CREATE TABLE IF NOT EXISTS users (", ["users"]],
  ["notes.txt", "function nothing() {}", []],
  ["constructor", "class A", []],
] as const)("names defined in %s", ([path, content, names]) => {
  expect(symbolsOf(content, languageOf(path))).toEqual(names);
});

test("no line, however it is made, holds the indexer up", () => {
  const parts = [" ", "\t", "public ", "a ", "a::", "a<", "export ", " *", "static", "(", "a,"];
  const each = parts.flatMap((part) => ["", " ", " public ", "a "].map((start) => `${start}${part.repeat(480)}`.slice(0, 498) + "!"));
  const lines = Array.from({ length: 20 }, () => each).flat();
  for (const path of ["a.ts", "a.py", "a.go", "a.rs", "A.java", "a.c", "a.rb", "a.php", "a.swift", "a.sh", "a.sql", "a.tf"]) {
    const began = performance.now();
    symbolsOf(lines.join("\n"), languageOf(path));
    expect.soft(performance.now() - began, path).toBeLessThan(1_000);
  }
});
