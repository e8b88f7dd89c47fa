import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { findSymbols } from "./find-symbol.ts";

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;

/** Two definitions of each name, so that the name alone does not tell. */
const FILES: Readonly<Record<string, string>> = {
  "ts/pay.ts":
    "import { Base } from './base';\nexport class Payer extends Base {\n  readonly limit: number = 1;\n  charge(sum: number) { return sum; }\n}\nexport { helper as assist } from './base';\nexport const load = (key: string): Payer => new Payer();\n",
  "ts/base.ts": "export class Base {\n  refund() {}\n}\nexport function helper() {}\n",
  "ts/shop.ts":
    "import { Payer, assist, load as fetchIt } from './pay';\nimport * as all from './pay';\nimport { readFile } from 'node:fs/promises';\nclass Shop {\n  constructor(private readonly payer: Payer) {}\n  run(items: Payer[]) {\n    this.payer.charge(1); this.payer.limit;\n    this.payer.refund();\n    assist();\n    fetchIt('a').charge(2);\n    all.load('b');\n    for (const item of items) { item.charge(3); }\n    items.filter(Boolean).map((one) => one.refund());\n    const charge = 4; // charge\n    return charge + 'charge'.length;\n  }\n}\nreadFile('x');\nunknown.charge();\n",
  "ts/other.ts":
    "export class Other {\n  charge() {}\n  refund() {}\n  limit = 2;\n}\nexport function load() {}\nexport function helper() {}\nexport const readFile = 1;\n",
  "py/pkg/__init__.py": "from .core import Engine\n",
  "py/pkg/core.py":
    "class Base:\n    def stop(self):\n        pass\n\nclass Engine(Base):\n    def __init__(self, size=1):\n        self.size = size\n    def start(self) -> 'Engine':\n        return self\n",
  "py/app.py":
    "from pkg import Engine\nfrom pkg import core as c\n\ndef go(engine: Engine, size):\n    engine.start()\n    engine.stop()\n    made = Engine(size=size)\n    made.start()\n    c.Engine\n    with Engine() as e:\n        e.stop()\n",
  "py/other.py": "class Engine:\n    def start(self): pass\n    def stop(self): pass\n",
  "go/a/server.go":
    "package a\n\ntype Base struct{}\n\nfunc (b *Base) Close() {}\n\ntype Server struct {\n\tBase\n\tlog *Logger\n}\n\nfunc NewServer() *Server { return &Server{log: nil} }\n\nfunc (s *Server) Run() { s.log.Print(); s.Close() }\n",
  "go/a/logger.go": "package a\n\ntype Logger struct{}\n\nfunc (l *Logger) Print() {}\n",
  "go/b/main.go":
    'package b\n\nimport "example.org/x/go/a"\n\ntype Logger struct{}\n\nfunc (l *Logger) Print() {}\nfunc (l *Logger) Run() {}\nfunc NewServer() {}\n\nfunc main() {\n\ts := a.NewServer()\n\ts.Run()\n}\n',
  "java/com/acme/Repo.java":
    "package com.acme;\npublic class Repo<T> extends Store {\n  public Repo<T> find() { return this; }\n}\nclass Store {\n  void save() {}\n}\n",
  "java/com/acme/web/Page.java":
    "package com.acme.web;\nimport com.acme.Repo;\nclass Page {\n  private final Repo<String> repo;\n  void show() { repo.find().save(); find(); var r = new Repo<String>(); r.save(); }\n  void find() {}\n  void save() {}\n}\n",
  "cs/Repo.cs":
    "namespace Acme.Data;\npublic class Repo : Store { public Repo Find() => this; public string Name { get; set; } }\npublic class Store { public void Save() {} }\n",
  "cs/Page.cs":
    "using Acme.Data;\nclass Page {\n  private readonly Repo _repo;\n  void Show() { _repo.Find().Save(); var x = _repo.Name; }\n  void Save() {}\n  void Find() {}\n  string Name { get; }\n}\n",
  "rs/src/store.rs":
    "pub struct Store { pub size: u32 }\nimpl Store {\n    pub fn new() -> Self { Store { size: 1 } }\n    pub fn save(&self) {}\n}\n",
  "rs/src/main.rs":
    "mod store;\nuse crate::store::Store;\nstruct Page { store: Store, size: u8 }\nimpl Page {\n    fn new() -> Page { todo!() }\n    fn save(&self) { self.store.save(); let s = Store::new(); let t = s.size; let s = 1; s; }\n}\n",
  "rb/store.rb": "class Store < Base\n  def save\n  end\nend\nclass Base\n  def close\n  end\nend\n",
  "rb/page.rb":
    "class Page\n  def initialize\n    @store = Store.new\n  end\n  def show(save)\n    @store.save\n    @store.close\n    save\n    close\n  end\n  def save\n  end\n  def close\n  end\nend\n",
  "kt/org/acme/Repo.kt":
    "package org.acme\nopen class Store { fun save() {} }\nclass Repo(val size: Int) : Store() { fun find(): Repo = this }\n",
  "kt/org/acme/web/Page.kt":
    "package org.acme.web\nimport org.acme.Repo\nclass Page(private val repo: Repo) {\n  fun show() { repo.find().save(); repo.size; val r = Repo(1); r.save() }\n  fun save() {}\n  fun find() {}\n}\n",
  "php/src/Data/Repo.php":
    "<?php\nnamespace Acme\\Data;\nclass Repo extends Store { public function find(): Repo { return $this; } }\nclass Store { public function save() {} }\n",
  "php/src/Page.php":
    "<?php\nnamespace Acme;\nuse Acme\\Data\\Repo;\nclass Page {\n  private Repo $repo;\n  function show(Repo $other) { $this->repo->find()->save(); $other->save(); (new Repo())->find(); }\n  function save() {}\n  function find() {}\n}\n",
};

beforeAll(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  source = await createGitRepository();
  await source.commit(FILES);
  const repoId = await fixture.register(tenant, "acme/all", source.url);
  await fixture.run({ tenant, repoId });
});

afterAll(async () => {
  await fixture.stop();
  await source.remove();
});

/** The name at the end of a piece of a file, which is there once. */
async function meantBy(path: string, piece: string) {
  const text = FILES[path] ?? "";
  const end = text.indexOf(piece) + piece.length;
  const name = /[\w@]+$/.exec(piece)?.[0] ?? "";
  const before = text.slice(0, end - name.length);
  const position = `${path}:${before.split("\n").length}:${before.length - before.lastIndexOf("\n")}`;
  return findSymbols(fixture.finding, { tenant }, { name, repo: "acme/all", position, limit: 20 });
}

test.for([
  ["ts/shop.ts", "this.payer.charge", "ts/pay.ts:4", "member of Payer, the type of what stands before it"],
  ["ts/shop.ts", "this.payer.limit", "ts/pay.ts:3", "member of Payer, the type of what stands before it"],
  ["ts/shop.ts", "this.payer.refund", "ts/base.ts:2", "member of Payer, the type of what stands before it, by what that extends"],
  ["ts/shop.ts", "    assist", "ts/base.ts:4", "imported from ./pay, which has it from ./base"],
  ["ts/shop.ts", "    fetchIt", "ts/pay.ts:7", "imported from ./pay"],
  ["ts/shop.ts", "fetchIt('a').charge", "ts/pay.ts:4", "member of Payer, the type of what stands before it"],
  ["ts/shop.ts", "all.load", "ts/pay.ts:7", "of the module ./pay"],
  ["ts/shop.ts", "item.charge", "ts/pay.ts:4", "member of Payer, the type of what stands before it"],
  ["ts/shop.ts", "one.refund", "ts/base.ts:2", "member of Payer, the type of what stands before it, by what that extends"],
  ["ts/shop.ts", "return charge", "ts/shop.ts:14", "local to a function around it"],
  ["py/app.py", "engine.start", "py/pkg/core.py:8", "member of Engine, the type of what stands before it"],
  ["py/app.py", "engine.stop", "py/pkg/core.py:2", "member of Engine, the type of what stands before it, by what that extends"],
  ["py/app.py", "made = Engine", "py/pkg/core.py:5", "imported from pkg, which has it from .core"],
  ["py/app.py", "Engine(size", "py/pkg/core.py:6", "given by name to Engine"],
  ["py/app.py", "size=size", "py/app.py:4", "parameter of a function around it"],
  ["py/app.py", "made.start", "py/pkg/core.py:8", "member of Engine, the type of what stands before it"],
  ["py/app.py", "c.Engine", "py/pkg/core.py:5", "of the module pkg.core"],
  ["py/app.py", "e.stop", "py/pkg/core.py:2", "member of Engine, the type of what stands before it, by what that extends"],
  ["go/b/main.go", "a.NewServer", "go/a/server.go:12", "of the module example.org/x/go/a"],
  ["go/b/main.go", "s.Run", "go/a/server.go:14", "member of Server, the type of what stands before it"],
  ["go/a/server.go", "s.log.Print", "go/a/logger.go:5", "member of Logger, the type of what stands before it"],
  ["go/a/server.go", "s.Close", "go/a/server.go:5", "member of Server, the type of what stands before it, by what that extends"],
  ["go/a/server.go", "&Server{log", "go/a/server.go:9", "given by name to Server"],
  ["java/com/acme/web/Page.java", "repo.find", "java/com/acme/Repo.java:3", "member of Repo, the type of what stands before it"],
  [
    "java/com/acme/web/Page.java",
    "find().save",
    "java/com/acme/Repo.java:6",
    "member of Repo, the type of what stands before it, by what that extends",
  ],
  ["java/com/acme/web/Page.java", "; find", "java/com/acme/web/Page.java:6", "member of the type around it"],
  [
    "java/com/acme/web/Page.java",
    "r.save",
    "java/com/acme/Repo.java:6",
    "member of Repo, the type of what stands before it, by what that extends",
  ],
  ["cs/Page.cs", "_repo.Find", "cs/Repo.cs:2", "member of Repo, the type of what stands before it"],
  ["cs/Page.cs", "Find().Save", "cs/Repo.cs:3", "member of Repo, the type of what stands before it, by what that extends"],
  ["cs/Page.cs", "_repo.Name", "cs/Repo.cs:2", "member of Repo, the type of what stands before it"],
  ["rs/src/main.rs", "self.store.save", "rs/src/store.rs:4", "member of Store, the type of what stands before it"],
  ["rs/src/main.rs", "Store::new", "rs/src/store.rs:3", "member of Store, the type of what stands before it"],
  ["rs/src/main.rs", "s.size", "rs/src/store.rs:1", "member of Store, the type of what stands before it"],
  ["rb/page.rb", "@store.save", "rb/store.rb:2", "member of Store, the type of what stands before it"],
  ["rb/page.rb", "@store.close", "rb/store.rb:6", "member of Store, the type of what stands before it, by what that extends"],
  ["rb/page.rb", "    @store.close\n    save", "rb/page.rb:5", "parameter of a function around it"],
  ["rb/page.rb", "save\n    close", "rb/page.rb:13", "member of Page, the type around it, or of what that extends"],
  ["kt/org/acme/web/Page.kt", "repo.find", "kt/org/acme/Repo.kt:3", "member of Repo, the type of what stands before it"],
  [
    "kt/org/acme/web/Page.kt",
    "find().save",
    "kt/org/acme/Repo.kt:2",
    "member of Repo, the type of what stands before it, by what that extends",
  ],
  ["kt/org/acme/web/Page.kt", "repo.size", "kt/org/acme/Repo.kt:3", "member of Repo, the type of what stands before it"],
  ["kt/org/acme/web/Page.kt", "r.save", "kt/org/acme/Repo.kt:2", "member of Repo, the type of what stands before it, by what that extends"],
  ["php/src/Page.php", "repo->find", "php/src/Data/Repo.php:3", "member of Repo, the type of what stands before it"],
  [
    "php/src/Page.php",
    "find()->save",
    "php/src/Data/Repo.php:4",
    "member of Repo, the type of what stands before it, by what that extends",
  ],
  ["php/src/Page.php", "other->save", "php/src/Data/Repo.php:4", "member of Repo, the type of what stands before it, by what that extends"],
  ["php/src/Page.php", "(new Repo())->find", "php/src/Data/Repo.php:3", "member of Repo, the type of what stands before it"],
] as const)("in %s %s means %s", async ([path, piece, place, reason]) => {
  const { symbols, notes } = await meantBy(path, piece);
  const found = symbols.map((symbol) => `${symbol.path}:${symbol.start_line} [${symbol.reason}]`);
  expect({ found, notes }).toEqual({ found: [`${place} [${reason}]`], notes: [] });
});

test.for([
  ["// charge", "a comment stands there"],
  ["'charge", "a string stands there"],
] as const)("%s is no use, which is said", async ([piece, what]) => {
  const { symbols, notes } = await meantBy("ts/shop.ts", piece);
  expect(notes[0]).toMatch(new RegExp(`^No use of charge is at ts/shop.ts:1[45]: ${what}\\.$`));
  expect(symbols.map(({ reason }) => reason)).toEqual([null, null]);
});

test("what syntax cannot tell is by name alone, the nearest first, and what is from outside is said to be", async () => {
  const unsure = await meantBy("ts/shop.ts", "unknown.charge");
  expect(unsure.symbols.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
    "ts/pay.ts by name alone, one of 2: the type of what stands before it is not told",
    "ts/other.ts by name alone, one of 2: the type of what stands before it is not told",
  ]);
  const outside = await meantBy("ts/shop.ts", "\nreadFile");
  expect(outside.notes).toEqual([
    "Syntax does not tell which definition is meant: it is imported from node:fs/promises, where nothing of the name is known.",
  ]);
});

test("without a column the first use in the line is meant; a keyword and white space are no use", async () => {
  const at = (position: string) => findSymbols(fixture.finding, { tenant }, { name: "charge", repo: "acme/all", position, limit: 20 });
  expect((await at("ts/shop.ts:7")).symbols[0]).toMatchObject({ path: "ts/pay.ts", start_line: 4 });
  expect((await at("ts/shop.ts:15:5")).notes).toEqual(["No use of charge is at ts/shop.ts:15: the keyword return stands there."]);
  expect((await at("ts/shop.ts:15:1")).notes).toEqual(["No use of charge is at ts/shop.ts:15: white space stands there."]);
  expect((await at("ts/shop.ts:9")).notes).toEqual(["No use of charge is at ts/shop.ts:9: no charge stands there."]);
});
