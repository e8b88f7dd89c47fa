import { expect, test } from "vitest";
import { createGrammars } from "./grammars.ts";
import { detectLanguage } from "./languages.ts";
import { findNameUses, strongestOfLines } from "./name-lines.ts";
import { compileRuntime } from "./parser-runtime.ts";

const grammarOf = createGrammars(compileRuntime());

/** What each line that has `nm` does with it, as `line kind`; the lines are those of the text, from 1. */
async function kindsIn(path: string, text: string, name = "nm"): Promise<string> {
  const grammar = await grammarOf(detectLanguage(path));
  if (grammar === undefined) {
    throw new Error(`There is no grammar for ${path}.`);
  }
  return strongestOfLines(findNameUses(text, { name, isDefined: true }, grammar))
    .map(({ line, kind }) => `${line} ${kind}`)
    .join(", ");
}

const PYTHON = `from a import nm
class A(nm):
  nm: int = 3
  def nm(self): pass
  def f(self, nm): pass
  def g(self) -> nm: pass
self.nm = 1
self.nm += 1
a, nm = 1, 2
x.nm()
f(nm=1)
f(x.nm)
for nm in y: pass
z = f"{nm} text"
z = "nm"
# nm
d = {nm: 1}
with a as nm: pass
nm_other = other_nm
`;
const TYPESCRIPT = `import { nm } from "a";
export { nm } from "b";
interface I { nm: string }
class C extends nm {}
this.nm = 1;
this.nm++;
const { x: nm } = y;
f({ nm: 1 });
f({ nm });
new nm();
a.nm?.(1);
let q: nm<string>;
s = \`\${nm} text\`;
s = \`nm\`;
// nm
enum E { nm }
for (const nm of z) {}
if (a.nm) {}
function f(nm: string) {}
`;
const GO = `import "nm/x"
type T struct { nm int }
func f(nm int) { g() }
func g() {
nm := 1
x.nm = 2
nm++
t := T{nm: 3}
x.nm()
nm.x()
var q nm
// nm
s := "nm"
return x.nm
}
`;
const RUST = `use a::nm;
struct S { nm: u8 }
fn f(nm: X) {
let nm = 1;
self.nm = 3;
let s = S { nm: 1 };
x.nm();
nm!(x);
let y: nm = z;
match x { Some(nm) => 1 }
g("nm");
/// nm
g(x.nm);
}
`;
const JAVA = `import a.nm;
class A extends nm {
int nm = 1;
void nm() {}
void f(int nm) {
this.nm = 1;
a.nm(1);
new nm();
List<nm> l;
g(nm);
g("nm"); // other
/* nm */
}
}
`;
const C = `#include "nm.h"
#define nm 1
int nm(int a);
struct S { int nm; };
void f(int nm) {
p->nm = 2;
nm++;
nm(1);
g(p->nm);
q = { .nm = 1 };
g("nm");
/* nm */
}
enum E { nm };
`;
const CSHARP = `using nm;
class A : nm {
int nm;
public int nm { get; set; }
void F(int nm) {
this.nm = 1;
a.nm();
new nm();
var nm = 2;
G(nm);
var s = $"{nm} x";
G("nm");
}
}
`;
const RUBY = `require "nm"
class A
  def nm; end
  def f(nm); end
  attr_accessor :nm
  @nm = 1
  self.nm = 3
  x.nm(1)
  g("#{nm} x")
  g("nm")
  # nm
end
`;
const PHP = `<?php
use A\\nm;
class A extends nm {
function nm() {}
function f($nm) {
$this->nm = 1;
$nm = 2;
$x->nm();
new nm();
g($this->nm);
g("nm");
// nm
}
}
`;
const KOTLIN = `import a.nm
class A {
val nm = 1
fun nm() {}
fun f(nm: Int) {
this.nm = 1
x.nm(1)
val y: nm = z
g(x.nm)
g("nm")
// nm
}
}
`;
const JAVASCRIPT = `const nm = require("x");
exports.nm = 1;
x.nm();
f(x.nm);
const j = <nm a={nm} />;
f("nm");
`;
const LUA = `local nm = 1
x.nm = 2
x:nm(1)
f(x.nm)
f("nm")
-- nm
`;

test.for([
  [
    "a.py",
    PYTHON,
    "1 import, 2 implementation, 3 write, 4 definition, 5 write, 6 type, 7 write, 8 write, 9 write, 10 call, 11 write, 12 read, 13 write, 14 read, 15 text, 16 text, 17 read, 18 write",
  ],
  [
    "a.ts",
    TYPESCRIPT,
    "1 import, 2 import, 3 definition, 4 implementation, 5 definition, 6 write, 7 write, 8 write, 9 read, 10 call, 11 call, 12 type, 13 read, 14 text, 15 text, 16 definition, 17 write, 18 read, 19 write",
  ],
  ["a.go", GO, "1 import, 2 definition, 3 write, 5 write, 6 write, 7 write, 8 write, 9 call, 10 read, 11 type, 12 text, 13 text, 14 read"],
  ["a.rs", RUST, "1 import, 2 definition, 3 write, 4 write, 5 write, 6 write, 7 call, 8 call, 9 type, 10 write, 11 text, 12 text, 13 read"],
  [
    "A.java",
    JAVA,
    "1 import, 2 implementation, 3 definition, 4 definition, 5 write, 6 write, 7 call, 8 call, 9 type, 10 read, 11 text, 12 text",
  ],
  [
    "a.c",
    C,
    "1 import, 2 definition, 3 definition, 4 definition, 5 write, 6 write, 7 write, 8 call, 9 read, 10 write, 11 text, 12 text, 14 definition",
  ],
  [
    "A.cs",
    CSHARP,
    "1 import, 2 implementation, 3 definition, 4 definition, 5 write, 6 write, 7 call, 8 call, 9 write, 10 read, 11 read, 12 text",
  ],
  ["a.rb", RUBY, "1 import, 3 definition, 4 write, 5 read, 6 write, 7 write, 8 call, 9 read, 10 text, 11 text"],
  ["a.php", PHP, "2 import, 3 implementation, 4 definition, 5 write, 6 write, 7 write, 8 call, 9 call, 10 read, 11 text, 12 text"],
  ["a.kt", KOTLIN, "1 import, 3 definition, 4 definition, 5 write, 6 write, 7 call, 8 type, 9 read, 10 text, 11 text"],
  ["a.js", JAVASCRIPT, "1 definition, 2 definition, 3 call, 4 read, 5 call, 6 text"],
  ["a.lua", LUA, "1 definition, 2 definition, 3 call, 4 read, 5 text, 6 text"],
  ["a.json", '{"nm": "nm"}\n', "1 text"],
  ["a.vue", "<template>{{ nm }}</template>\n<script>\nnm(1);\n</script>\n", "1 read, 3 call"],
] as const)("what the lines of %s do with a name", async ([path, text, kinds]) => {
  expect(await kindsIn(path, text)).toBe(kinds);
});

test("a line that does several things with a name is what it does most", async () => {
  expect(await kindsIn("a.ts", "nm = nm(nm as nm); // nm\n")).toBe("1 write");
});

test("what a specification of Elixir names is neither called nor defined", async () => {
  const text = `defmodule A do
  @spec nm(integer) :: integer when x: any
  @callback nm(term) :: nm()
  def nm(x), do: x
  def go(x), do: nm(x)
  @limit nm(3)
end
`;
  expect(await kindsIn("a.ex", text)).toBe("2 type, 3 type, 4 definition, 5 call, 6 call");
});

test.for([
  [
    "a.ts",
    "class A extends B implements nm {}\nclass C extends D<nm> {}\ninterface I extends nm<X> {}\nclass E extends mixin(nm) {}\n",
    "1 3",
  ],
  ["a.js", "class A extends lib.nm {}\n", "1"],
  ["a.py", "class A(Base, metaclass=nm): pass\nclass B(lib.nm, C): pass\nclass D(Generic[nm]): pass\n", "2"],
  ["A.java", "class A extends B<nm> {}\nclass C implements X, nm<Y> {}\ninterface D extends nm {}\n", "2 3"],
  ["A.cs", "class A : B, nm {}\nclass C : D<nm> { C() : base(nm) {} }\n", "1"],
  ["a.cpp", "class A : public nm {};\nstruct B : C<nm> {};\nnm x;\n", "1"],
  ["a.rb", "class A < nm\nend\nclass B < C.new(nm)\nend\n", "1"],
  ["b.rb", "class A\n  include B, Net::Nm\n  extend Nm\n  other.include Nm\n  puts Nm\nend\n", "2 3"],
  ["a.php", "<?php\nclass A extends nm implements B {}\nclass C implements D, nm {}\n", "2 3"],
  ["b.php", "<?php\nuse A\\nm;\nclass A {\n  use B, nm;\n}\n", "4"],
  [
    "a.ex",
    "defmodule A do\n  @behaviour X.Nm\n  use Nm\n  @other Nm\nend\ndefimpl Nm, for: B do\nend\ndefimpl C, for: Nm do\nend\n",
    "2 6",
  ],
  ["a.kt", "class A : nm(), B\nclass C(val x: nm) : D<nm>\n", "1"],
  ["a.swift", "class A: B, nm {}\nstruct S { let x: nm }\nextension S: nm {}\n", "1 3"],
  ["a.scala", "class A extends B with nm\nclass C(x: nm) extends D[nm]\n", "1"],
  ["a.rs", "impl nm for A {}\nimpl<T> a::nm for B<T> {}\nimpl nm {}\nimpl From<nm> for C {}\nimpl D for nm {}\n", "1 2"],
  ["a.dart", "class A extends B implements nm {}\nclass C extends nm {}\n", "1 2"],
] as const)("what extends or implements a name in %s", async ([path, text, lines]) => {
  const kinds = (await kindsIn(path, text, text.includes("Nm") ? "Nm" : "nm")).split(", ");
  expect(kinds.flatMap((kind) => (kind.endsWith(" implementation") ? [kind.split(" ")[0]] : [])).join(" ")).toBe(lines);
});
