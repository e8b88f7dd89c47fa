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
    'import { A as B } from "a";\nconst x: Foo<Bar> = new Baz(q).run(go);\nlog.info({ key: val, short });',
    "A Foo Bar Baz q run go log info val short",
  ],
  ["a.tsx", "const a = <Panel.Body onClick={close}><Row/></Panel.Body>;", "Body close Row"],
  ["a.js", "class A extends Base { m() { this.go(); helper(cb); } }\nexports.x = y.z();", "Base go helper cb exports y z"],
  [
    "a.py",
    "from a.b import C\nimport os.path\nclass D(C, x.E):\n  @dec\n  def f(self, a: Foo) -> Bar:\n    g(h.i(j))",
    "a b C os path E x dec Foo Bar g h i j",
  ],
  ["a.go", "package a\nfunc f(c *Ctx) error { return pkg.Do(c, Opt{Name: v}) }", "Ctx error pkg Do c Opt Name v"],
  [
    "a.rs",
    'use a::{b, C};\nfn f(x: Foo) -> Bar { x.go(); C::new(y); println!("{}", z); Default::default() }',
    "a b C Foo Bar go new y println z Default default",
  ],
  [
    "A.java",
    "import a.B;\nclass A extends C implements D { @Inject E e; F f(G g) { return H.of(g).go(I::new); } }",
    "B C D Inject E F G H of g go I",
  ],
  ["a.c", "#ifdef HAVE_X\nstruct foo *f(bar_t b) { return make(b, &glob)->next; }\n#endif", "HAVE_X foo bar_t make b glob"],
  ["a.cpp", "std::vector<Foo> f() { return ns::make<Bar>(x); }", "std vector Foo ns make Bar x"],
  ["A.cs", "using System;\nclass A : B<C> { D Run(E e) { return new F().Go<G>(e); } }", "System B C D E F Go e"],
  ["a.rb", "class A < B\n  include C\n  def x; y.go(D::E); end\nend", "B include C y go D E"],
  ["a.php", "<?php\nuse A\\B;\nclass C extends D { function f(E $e): F { return G::make(new H(), i($e)->j()); } }", "B D E F G make H i j"],
  ["a.kt", "import a.B\nclass A : C(), D { fun f(e: E): F { g(h); return e.i(J) } }", "B C D E F g h e i J"],
  ["a.swift", "import A\nclass B: C { func f(d: D) -> E { return g(d).h() } }", "A C D E g d h"],
  ["a.scala", "import a.B\nclass A extends C with D { def f(e: E): F = g(e).h(i) }", "a B C D E F g e h i"],
  ["a.sh", 'deploy() {\n  build "$TARGET"\n}\ndeploy', "build TARGET deploy"],
  ["a.lua", "local x = require('a')\nx.go(y)\nobj:call(z)", "require x go y call z"],
  ["a.ex", "defmodule A do\n  alias B.C\n  def run(x), do: C.go(helper(x))\nend", "B.C C go helper"],
  ["a.proto", "message M { Foo a = 1; a.Bar b = 2; }", "Foo Bar"],
  ["a.graphql", "type Query { a: Foo! }", "Foo"],
  ["Makefile", "build: deps other\n\techo\n", "deps other"],
] as const)("names used in %s", async ([path, content, names]) => {
  const { references } = await split(path, content);
  for (const name of names.split(" ")) {
    expect(references).toContain(name);
  }
  expect(references).toHaveLength(new Set(references).size);
});

test("a name that is only defined is no use of it, and one that is used too is", async () => {
  const { references } = await split("a.go", "type A struct{}\ntype B struct{ a A }");
  expect(references).toEqual(["A"]);
});

test("a definition says its kind, its lines and what it is inside of", async () => {
  const content = "\nimpl Handle {\n  fn go(&self) {\n  }\n}\nmod m {\n  struct S;\n}\n";
  const { definitions } = await split("a.rs", content);
  expect(definitions).toEqual([
    { name: "go", kind: "method", start_line: 3, end_line: 4, scope: "Handle" },
    { name: "m", kind: "module", start_line: 6, end_line: 8, scope: "" },
    { name: "S", kind: "type", start_line: 7, end_line: 7, scope: "m" },
  ]);
});

test("of a document that uses thousands of names the first five hundred are kept", async () => {
  const content = Array.from({ length: 2_000 }, (_, index) => `call${index}();\n`).join("");
  const { references } = await split("a.js", content);
  expect(references).toHaveLength(500);
});
