import { expect, test } from "vitest";
import { createGrammars } from "./grammars.ts";
import { detectLanguage } from "./languages.ts";
import { splitFile, type SplitFile } from "./split-file.ts";
import { compileRuntime } from "./parser-runtime.ts";

const grammarOf = createGrammars(compileRuntime());

async function split(path: string, content: string): Promise<SplitFile> {
  const language = detectLanguage(path);
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
  ["a.ex", "defmodule A do\n  def run(0), do: 1\n  def run(x) when x > 1, do: x\n  defp other(x), do: x\nend", ["A", "run", "other"]],
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
  [
    "a.ml",
    `module M = struct let inner x = x end
module type S = sig val f : int -> int end
type shape = Circle of int | Square
exception Bad of string
let rec run x y = let local = 1 in go x local
let limit = 3
class c = object method go = 1 end
external ext : int -> int = "ext"`,
    ["M", "inner", "S", "f", "shape", "Circle", "Square", "Bad", "run", "limit", "c", "go", "ext"],
  ],
  ["a.mli", "val run : int -> int\ntype t = A | B", ["run", "t", "A", "B"]],
  [
    "a.clj",
    `(ns my.core (:require [a.b :as c]))
(defn ^:private run [x] (go x))
(defn- hidden "doc" [x] x)
(def limit 3)
(defmacro when2 [a] a)
(defprotocol Draw (draw [this]))
(defrecord Shape [a b])
(defmulti area :kind)
(defmethod area :c [s] 1)`,
    ["run", "hidden", "limit", "when2", "Draw", "draw", "Shape", "area"],
  ],
  [
    "a.erl",
    "-module(m).\n-record(shape, {r}).\n-define(LIMIT, 3).\n-type name() :: atom().\nrun(0) -> 1;\nrun(N) -> go(N).\nother() -> ok.",
    ["m", "shape", "LIMIT", "name", "run", "other"],
  ],
  [
    "a.elm",
    "module A.B exposing (run)\ntype Shape = Circle Int | Square\ntype alias Model = { a : Int }\nrun : Int -> Int\nrun x =\n    let y = 1 in go x y\nport out : Int -> Cmd msg",
    ["A.B", "Shape", "Circle", "Square", "Model", "run", "out"],
  ],
  [
    "a.jl",
    `module A
struct Shape{T} <: Base
  r::T
end
abstract type T end
function run(x::Int)::Int
  go(x)
end
square(x) = x^2
macro m(x) end
const LIMIT = 3
function Base.show(io, x) end
run2(x::T) where T = x
end`,
    ["A", "Shape", "T", "run", "square", "m", "LIMIT", "show", "run2"],
  ],
  [
    "a.groovy",
    "class Shape extends Base {\n  def area() { go(r) }\n  static void main(String[] args) {}\n}\ninterface I { void x() }\ndef top(x) { x }",
    ["Shape", "area", "main", "I", "x", "top"],
  ],
  [
    "a.m",
    `@interface Shape : NSObject
@property NSString *label;
- (void)draw:(int)x with:(int)y;
@end
@protocol P
- (void)p;
@end
int helper(int a) { return a; }`,
    ["Shape", "label", "draw", "P", "p", "helper"],
  ],
  ["a.pl", "package My::Mod;\nuse constant LIMIT => 3;\nsub run { go(1); }", ["My::Mod", "LIMIT", "run"]],
  ["a.r", 'run <- function(x) { inner = function(y) y }\nlimit <- 3\nsetClass("A")', ["run", "inner", "limit", "A"]],
  ["a.ps1", "function Get-Thing { 1 }\nclass Shape {\n  [void] Draw([int]$a) { }\n}\nenum E { A }", ["Get-Thing", "Shape", "Draw", "E"]],
  ["a.nix", "let run = x: go x; limit = 3; in { tool = mk { }; }", ["run", "limit", "tool"]],
  [
    "a.sol",
    `contract Shape is Base {
  uint constant LIMIT = 3;
  event Drawn(uint a);
  error Bad();
  modifier only() { _; }
  function run(uint x) public returns (uint) { return go(x); }
}
library L {}`,
    ["Shape", "LIMIT", "Drawn", "Bad", "only", "run", "L"],
  ],
  [
    "a.tf",
    'resource "aws_instance" "web" { ami = var.ami }\nvariable "ami" { default = 1 }\nmodule "net" { source = "./net" }\nlocals { a = 1 }\n',
    ["web", "ami", "net", "a"],
  ],
  ["a.cmake", "function(run a)\n  go(a)\nendfunction()\nmacro(m)\nendmacro()", ["run", "m"]],
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
  const grammar = await grammarOf(detectLanguage(path));
  expect(grammar).toBeDefined();
  expect((await split(path, content)).chunks.map((chunk) => chunk.content)).toEqual([content]);
});

test.for([
  ["a.py", "class A:\n  def run(self): pass\n  @cached\n  def size(self): pass\ndef top(): pass", ["run", "size"]],
  ["a.rs", "impl A { fn run(&self) {} }\ntrait T { fn size(&self); }\nfn top() {}", ["run", "size"]],
  ["a.kt", "class A { fun run() {} }\nfun top() {}", ["run"]],
  ["a.swift", "struct A { func run() {} }\nfunc top() {}", ["run"]],
  ["a.scala", "class A { def run = 1 }\ndef top = 2", ["run"]],
  ["a.groovy", "class A { def run() {} }\ndef top() {}", ["run"]],
  ["a.sol", "contract A { function run() public {} }\nfunction top() pure {}", ["run"]],
] as const)("functions of classes are methods in %s", async ([path, content, names]) => {
  const { definitions } = await split(path, content);
  expect(definitions.filter(({ kind }) => kind === "method").map(({ name }) => name)).toEqual(names);
  expect(definitions.filter(({ kind }) => kind === "function").map(({ name }) => name)).toEqual(["top"]);
});

test.for([
  [
    "a.go",
    "package a\ntype S struct{}\nfunc (s *S) Stop() { run() }\nfunc (S) Name() {}\nfunc (m *Map[K, V]) Get(k K) {}\nfunc Free() {}\ntype I interface { Do() }\ntype T int\n",
    ["type S", "method S › Stop", "method S › Name", "method Map › Get", "function Free", "interface I", "method I › Do", "type T"],
  ],
  [
    "a.kt",
    "fun String.shout() = uppercase()\nfun plain() {}\nclass A { fun Int.inside() {}\n fun own() {} }\n",
    ["function String › shout", "function plain", "class A", "method A › Int › inside", "method A › own"],
  ],
  [
    "a.swift",
    "extension Array { func chunked() {} }\nclass A { func run() {} }\n",
    ["method Array › chunked", "class A", "method A › run"],
  ],
  [
    "A.cs",
    "static class Ext {\n  int max;\n  public int Size { get; }\n  public static int Count(this List<int> list, int a) => 1;\n  static int Plain(int a) => 1;\n}\n",
    ["class Ext", "field Ext › max", "property Ext › Size", "method Ext › List<int> › Count", "method Ext › Plain"],
  ],
  ["A.java", "class A {\n  static final int MAX = 3;\n  private String phone;\n}\n", ["class A", "constant A › MAX", "field A › phone"]],
  [
    "a.rs",
    "struct W<T>(T);\nimpl<T> Show for W<T> { fn show(&self) {} }\nimpl W<u8> { fn go() {} }\n",
    ["type W", "method W<T> › show", "method W<u8> › go"],
  ],
  [
    "a.rb",
    "module Net\n  class HTTP::Client\n    def get; end\n  end\nend\n",
    ["module Net", "class Net › HTTP::Client", "method Net › HTTP::Client › get"],
  ],
  [
    "a.ex",
    "defmodule My.Accounts do\n  def get(x), do: x\nend\ndefimpl Show, for: My.Accounts do\n  def show(x), do: x\nend\n",
    ["module My.Accounts", "function My.Accounts › get", "function Show › show"],
  ],
] as const)("what %s defines belongs to its type, wherever it stands", async ([path, content, expected]) => {
  const { definitions } = await split(path, content);
  expect(definitions.map(({ kind, scope, name }) => `${kind} ${scope === "" ? "" : `${scope} › `}${name}`)).toEqual(expected);
});

test("what is in a method of Go stands under its receiver", async () => {
  const { chunks } = await split(
    "a.go",
    `package a\n\nfunc (s *Server) Stop() {\n${"\tlog.Print(s.name, s.port, s.state)\n".repeat(80)}}\n`,
  );
  expect(chunks.at(-1)?.scope).toBe("Server › Stop");
});
