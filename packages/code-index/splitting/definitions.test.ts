import { expect, test } from "vitest";
import { createGrammars } from "./grammars.ts";
import { languageOf } from "./languages.ts";
import { splitFile, type SplitFile } from "./split-file.ts";
import { compileRuntime } from "./parser-runtime.ts";

const grammarOf = createGrammars(compileRuntime());

async function split(path: string, content: string): Promise<SplitFile> {
  const language = languageOf(path);
  return splitFile(Buffer.from(content), language, await grammarOf(language));
}

test.for([
  [
    "a.ts",
    "export async function readIt() {}\nclass Reader<T> {\n  private async next(v: T): Promise<void> {}\n}\ninterface I {}\ntype T1 = string;\nenum E { A }\nexport const LIMIT = 3;",
    ["readIt", "Reader", "next", "I", "T1", "E", "LIMIT"],
  ],
  ["a.tsx", "export const useThing = (a: string) => <p>{a}</p>;\ntype Props = {};", ["useThing", "Props"]],
  ["a.js", "exports.parse = parse\nRequest.prototype.send = function () {}\nclass A { #x() {} }", ["parse", "send", "A", "#x"]],
  ["a.jsx", "export function App() { return <div/>; }", ["App"]],
  ["a.py", "class A:\n    async def run(self):\n        x = 1\nLIMIT = 2\n@app.get\ndef f(): pass", ["A", "run", "LIMIT", "f"]],
  [
    "a.go",
    "package a\nfunc (s *Server) Start(ctx context.Context) error { return nil }\ntype Server struct {}\nvar ErrX = 1\nconst (\n\tA = 1\n\tB = 2\n)",
    ["Start", "Server", "ErrX", "A", "B"],
  ],
  [
    "a.rs",
    "pub(crate) async fn spawn<T>() {}\npub struct Handle;\nimpl Handle { fn go(&self) {} }\nmacro_rules! ready { () => {} }",
    ["spawn", "Handle", "go", "ready"],
  ],
  [
    "A.java",
    "public final class A {\n  static final int MAX = 3;\n  A() {}\n  public static void main(String[] args) {}\n}",
    ["A", "MAX", "A", "main"],
  ],
  [
    "a.c",
    "struct client { int x; };\nvoid *zmalloc(size_t size) { return 0; }\n#define MAX 3\ntypedef int word;",
    ["client", "zmalloc", "MAX", "word"],
  ],
  ["a.cpp", "namespace net {\nclass S { void f() {} };\nint Server::start(int port) { return 0; }\n}", ["net", "S", "f", "Server::start"]],
  [
    "b.cpp",
    "WARNING_PUSH\nWARNING_POP\n\nbool Signature::operator==(const Signature& other) const { return true; }",
    ["Signature::operator=="],
  ],
  ["A.cs", "namespace N { public class A { public int P { get; set; } void Run() {} } interface I {} }", ["A", "P", "Run", "I"]],
  ["a.rb", "class Thing\n  LIMIT = 1\n  def self.open(x)\n  end\n  def go?; end\nend", ["Thing", "LIMIT", "open", "go?"]],
  ["a.php", "<?php\nclass A { const X = 1; public function run() {} }\nfunction f() {}", ["A", "X", "run", "f"]],
  ["a.kt", "class A(val x: Int) { fun run() {} }\nobject O\nval LIMIT = 1\nfun top() {}", ["A", "run", "O", "LIMIT", "top"]],
  ["a.swift", "struct S { func run() {} }\nprotocol P { func go() }\nfunc top() {}", ["S", "run", "P", "go", "top"]],
  ["a.scala", "object Main { def run(): Unit = {}\n val x = 1 }\ntrait T\ncase class C(a: Int)", ["Main", "run", "x", "T", "C"]],
  ["a.sh", "deploy() {\n  echo\n}\nfunction stop { echo; }", ["deploy", "stop"]],
  ["a.sql", "CREATE TABLE IF NOT EXISTS users (id int);\nCREATE VIEW v AS SELECT 1;", ["users", "v"]],
  ["a.lua", "local function go() end\nfunction M.run() end", ["go", "M.run"]],
  ["a.ex", "defmodule A do\n  def run(x), do: x\nend", ["A", "run"]],
  ["a.proto", 'syntax = "proto3";\nmessage M { string a = 1; }\nservice S { rpc Get(M) returns (M); }', ["M", "S", "Get"]],
  ["a.graphql", "type Query { a: Int }\nenum E { A }", ["Query", "E"]],
  [
    "a.hs",
    `module A.B (run, Shape(..)) where
import Data.Map (Map)
-- | Runs it.
run :: Int -> Int
run 0 = 1
run n = go n
  where go x = x
answer = 42
a <+> b = a
data Shape = Circle { radius :: Int } | Square Int
newtype Wrap = Wrap Int
type Names = [String]
class Draw a where
  draw :: a -> IO ()
instance Draw Shape where
  draw _ = pure ()`,
    ["run", "answer", "<+>", "Shape", "Circle", "radius", "Square", "Wrap", "Names", "Draw", "draw"],
  ],
  [
    "a.zig",
    `const std = @import("std");
pub const Loop = struct { count: u32, pub fn init() Loop { return .{ .count = 0 }; } };
const Kind = enum { a };
const Failure = error{Bad};
const limit: u32 = 7;
const Queue = List(u8);
fn List(comptime T: type) type { return struct { fn push(self: *@This(), item: T) void {} }; }`,
    ["Loop", "count", "init", "Kind", "a", "Failure", "limit", "Queue", "List", "push"],
  ],
  ["Makefile", "build: deps\n\techo\n", ["build"]],
  ["notes.txt", "function nothing() {}", []],
  ["constructor", "class A", []],
] as const)("names defined in %s", async ([path, content, names]) => {
  const { chunks, definitions } = await split(path, content);
  expect(chunks.flatMap(({ symbols }) => symbols)).toEqual([...new Set(names)]);
  expect(definitions.map(({ name }) => name)).toEqual(names);
});

test.for([
  ["a.toml", "[package]\nname = 1\n"],
  ["a.css", ".a { color: red }"],
  ["a.html", "<p>hi</p>"],
  ["a.json", '{"a": 1}'],
  ["a.yaml", "a: 1\n"],
  ["a.tf", 'resource "a" "b" {}'],
  ["a.dart", "class A { void run() {} }"],
  ["a.hs", "main = pure ()"],
  ["a.zig", "pub fn main() void {}"],
] as const)("%s is read by its grammar", async ([path, content]) => {
  const grammar = await grammarOf(languageOf(path));
  expect(grammar).toBeDefined();
  expect((await split(path, content)).chunks.map((chunk) => chunk.content)).toEqual([content]);
});
