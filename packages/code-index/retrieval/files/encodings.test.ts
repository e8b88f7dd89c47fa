import { afterAll, beforeAll, expect, test } from "vitest";
import { grepRequestSchema } from "#contract.ts";
import { createGrepLimit, grep } from "#retrieval/grep/grep.ts";
import { readCommit, readFileAtCommit, readLineHistory } from "#retrieval/commits/read-revisions.ts";
import { startChangesFixture, type ChangesFixture, type Indexed } from "#testing/changes-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { readFile } from "./read-file.ts";
import { createIndexMemory } from "#retrieval/scope/index-memory.ts";

let fixture: ChangesFixture;
let source: GitRepository;
let indexed: Indexed;
const commits: string[] = [];

const RUSSIAN = "// Читает настройки из файла\nint load(void);\n";
const JAPANESE = "int a; // 設定\n";

/** Of an encoding whose characters are a byte each. */
function written(text: string, encoding: string): Buffer {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const characters = Array.from(new TextDecoder(encoding).decode(Uint8Array.from(bytes)));
  return Buffer.from(Array.from(text, (character) => characters.indexOf(character)));
}

beforeAll(async () => {
  fixture = await startChangesFixture();
  source = await createGitRepository();
  commits.push(
    await source.commit({
      "koi.c": written(RUSSIAN, "koi8-r"),
      "gone.c": written(RUSSIAN, "windows-1251"),
      "sjis.c": Buffer.from("int a; // \x90\xdd\x92\xe8\n", "latin1"),
    }),
  );
  source.git("rm", "--quiet", "gone.c");
  // One word is too short to tell by; the file as a whole is not.
  commits.push(await source.commit({ "koi.c": written(`${RUSSIAN}// ё\n`, "koi8-r"), "old.c": written("// café\n", "latin1") }));
  indexed = await fixture.index(source.url);
}, 60_000);

afterAll(async () => {
  await fixture.stop();
  await source.remove();
});

const read = (path: string) => readFile(fixture.database, indexed.scope, { path });

test("what is not Unicode is read and found as what was written, and said to be a guess", async () => {
  expect(await read("koi.c")).toMatchObject({ content: `${RUSSIAN}// ё\n`, encoding: { name: "koi8-r", guessed: true } });
  expect(await read("old.c")).toMatchObject({ content: "// café\n", encoding: { guessed: true } });
  const asked = grepRequestSchema.parse({ pattern: "настройки" });
  const { files } = await grep({ database: fixture.database, memory: createIndexMemory(), limit: createGrepLimit() }, indexed.scope, asked);
  expect(files).toMatchObject([{ path: "koi.c", matches: [{ line: 1 }] }]);
});

test("a file of an earlier commit and its changes are read as they tell", async () => {
  const [first = ""] = commits;
  const at = async (path: string) => (await readFileAtCommit(fixture.database, indexed.scope, { commit: first, path })).content;
  expect(await at("koi.c")).toBe(RUSSIAN);
  expect(await at("gone.c")).toBe(RUSSIAN);
  const { changes } = await readCommit(fixture.database, indexed.scope, { commit: first, path: "koi.c" });
  expect(changes[0]?.patch).toContain("+// Читает настройки из файла");
  const lines = await readLineHistory(fixture.database, indexed.scope, { commit: first, path: "koi.c", start: 1, end: 1, limit: 5 });
  expect(lines.changes[0]?.patch).toContain("+// Читает настройки из файла");
});

test("what .gitattributes say is no guess, and their change is all it takes", async () => {
  expect((await read("sjis.c")).content).not.toBe(JAPANESE);
  await source.commit({ ".gitattributes": "sjis.c encoding=shift_jis\nkoi.c -encoding\n" });
  await fixture.index(source.url, { repoId: indexed.repoId });
  const declared = { content: JAPANESE, encoding: { name: "shift_jis", guessed: false } };
  expect(await read("sjis.c")).toMatchObject(declared);
  expect(await readFileAtCommit(fixture.database, indexed.scope, { commit: commits[0] ?? "", path: "sjis.c" })).toMatchObject(declared);
});
