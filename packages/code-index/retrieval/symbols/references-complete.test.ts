import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FoundReference, ReferencesAnswer } from "#contract.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { findReferences } from "./find-references.ts";

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;

/** Names in every place that a language has for them, in ten languages and in files without a grammar. */
const FILES: Readonly<Record<string, string>> = {
  "py/app.py":
    'import os\nfrom .env import jinja_env\n\nclass App:\n    url_map: dict = {}\n    @property\n    def jinja_env(self):\n        return self.url_map\n\n    def setup(self, jinja_env=None, *args):\n        self.jinja_env = jinja_env\n        self.url_map["x"] = getattr(self, "jinja_env")\n        return lambda url_map: url_map\n\njob = Job()\napp = App(job)\n',
  "ts/store.ts":
    'import type { index_status } from "./types";\nexport interface Row { index_status: string; heartbeat_at?: Date }\nexport const read = (row: Row) => ({ index_status: row.index_status, heartbeat_at });\nconst { heartbeat_at, index_status: other } = row;\nconst sql = `update x set index_status = ${index_status}`; // heartbeat_at\n',
  "ts/view.tsx":
    'export function View({ index_status }: Row) {\n  return <p title="index_status" data-x={index_status}>index_status {heartbeat_at}</p>;\n}\n',
  "js/old.js": "var url_map = {};\nurl_map.index_status = function () { return this.url_map; };\nmodule.exports = { url_map };\n",
  "go/main.go":
    'package main\n\ntype Job struct {\n\tIndexStatus string `json:"index_status"`\n\theartbeat_at int\n}\n\nfunc (j *Job) url_map(heartbeat_at int) {\n\tj.heartbeat_at = heartbeat_at\n\tgo j.url_map(1)\n}\n',
  "rs/lib.rs":
    "use crate::url_map;\nstruct Job { heartbeat_at: u64 }\nimpl Job {\n    fn url_map(&self) -> u64 { let Job { heartbeat_at } = self; *heartbeat_at }\n}\nmacro_rules! m { ($x:expr) => { url_map!($x) } }\n",
  "java/App.java": "package a;\nclass App {\n  private int heartbeat_at;\n  int url_map() { return this.heartbeat_at + url_map(); }\n}\n",
  "c/app.c":
    '#include "url_map.h"\n#define index_status 1\nint url_map(int heartbeat_at);\nint f(struct s *p) { p->heartbeat_at = index_status; return url_map(p->heartbeat_at); }\n',
  "cpp/app.cpp": "namespace url_map { int heartbeat_at; }\nint App::index_status(int x) { return url_map::heartbeat_at; }\n",
  "cs/App.cs":
    'class App {\n  int heartbeat_at;\n  int url_map => heartbeat_at;\n  void F() { this.heartbeat_at = url_map; Log($"{heartbeat_at} url_map"); }\n}\n',
  "rb/app.rb":
    "class App\n  attr_reader :url_map\n  def heartbeat_at\n    @url_map ||= {}\n    url_map[:heartbeat_at] = 1 # index_status\n  end\nend\n",
  "php/app.php":
    "<?php\nclass App {\n  public $url_map = [];\n  function heartbeat_at() { return $this->url_map['index_status'] ?? $index_status; }\n}\n",
  "kt/App.kt": "class App(val url_map: Map<String, Int>) {\n  var heartbeat_at = url_map.size\n  fun f() { heartbeat_at = 1 }\n}\n",
  "sql/schema.sql":
    "create table jobs (index_status text, heartbeat_at timestamptz);\n-- index_status\nupdate jobs set index_status = 'index_status';\n",
  "vue/page.vue": "<template><p>{{ url_map }}</p></template>\n<script>\nconst url_map = 1;\n</script>\n",
  "README.md": "# url_map\n\nThe `index_status` and heartbeat_at, not my_index_status.\n",
  "notes.txt": "index_status\n\njinja_env jinja_env\n",
  "windows.py": "url_map = 1\r\nprint(url_map)\r\n",
  "umlaut.py": "größe_url_map = 1\nx = größe + url_map\nüurl_map = 2\n",
};

const NAMES = [
  "jinja_env",
  "url_map",
  "index_status",
  "heartbeat_at",
  "App",
  "self",
  "x",
  "größe",
  "Job",
  "job",
  "app",
  "IndexStatus",
  "nothing_of_it",
];

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

async function allLines(symbol: string): Promise<{ readonly lines: readonly FoundReference[]; readonly last: ReferencesAnswer }> {
  const lines: FoundReference[] = [];
  for (let cursor: string | undefined; ;) {
    const last = await findReferences(fixture.finding, { tenant }, { symbol, all: true, limit: 7, cursor });
    lines.push(...last.references);
    if (last.next_cursor === null) {
      return { lines, last };
    }
    cursor = last.next_cursor;
  }
}

function byGit(name: string): readonly string[] {
  const git = ["-C", source.directory, "grep", "-n", "-w", "-F", "-I", "-e", name, "HEAD"];
  try {
    const found = execFileSync("git", git, { encoding: "utf8" }).trimEnd().split("\n");
    return found.map((line) => /^HEAD:([^:]+:\d+):/.exec(line)?.[1] ?? line).toSorted();
  } catch {
    // git ends with 1 when nothing matches.
    return [];
  }
}

test.for(NAMES)("every line on which git finds the word %s is listed once and counted", async (name) => {
  const expected = byGit(name);
  expect(expected.length > 0).toBe(name !== "nothing_of_it");
  const { lines, last } = await allLines(name);
  expect(lines.map(({ path, line }) => `${path}:${line}`).toSorted()).toEqual(expected);
  expect(Object.values(last.counts).reduce((sum, count) => sum + count, 0)).toBe(expected.length);
  expect(last).toMatchObject({ total: expected.length, partial: false });
});

test("without all the lines that define the name and those that only speak of it are counted, not listed", async () => {
  const { references, counts, total } = await findReferences(fixture.finding, { tenant }, { symbol: "jinja_env", all: false, limit: 50 });
  expect(references.map(({ path, line, kind }) => `${path}:${line} ${kind}`)).toEqual([
    "py/app.py:2 import",
    "py/app.py:10 write",
    "py/app.py:11 write",
  ]);
  expect(total).toBe(3);
  expect(counts).toEqual({ definition: 1, implementation: 0, import: 1, write: 2, call: 0, type: 0, read: 0, text: 2 });
});

test("an answer that ran out of time says that its counts are the least", async () => {
  const limits = { lookMs: 0, countMs: 0 };
  // Each portion is one small file at the least, so that all of these are looked at; a name in many large files is not.
  const answer = await findReferences({ ...fixture.finding, limits }, { tenant }, { symbol: "many", all: false, limit: 5 });
  expect(answer).toMatchObject({ total: 0, partial: false });
  const files = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`f${index}.js`, "many(1);\n".repeat(16_000)]));
  await source.commit(files);
  const repoId = await fixture.register(tenant, "acme/many", source.url);
  await fixture.run({ tenant, repoId });
  const cut = await findReferences({ ...fixture.finding, limits }, { tenant }, { symbol: "many", all: false, limit: 5, repo: "acme/many" });
  expect(cut).toMatchObject({ total: null, partial: true });
  expect(cut.references).toHaveLength(5);
  expect(cut.counts.call).toBeGreaterThan(0);
  expect(cut.counts.call).toBeLessThan(48_000);
  expect(cut.notes.join()).toContain("at least");
});
