import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { NO_LEFTOVERS, readLeftovers, readLogicalIndex } from "#testing/logical-index.ts";

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;
let repoId: string;

beforeEach(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  source = await createGitRepository();
  repoId = await fixture.register(tenant, "o/r", source.url);
});

afterEach(async () => {
  await fixture.stop();
  await source.remove();
});

/** The same numbers in every run. */
function createChance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function moduleText(name: string, functions: readonly number[]): string {
  const bodies = functions.map((value, index) => {
    const steps = Array.from(
      { length: 12 },
      (_, step) => `  total += compute${(value + step) % 40}(input, ${value * step}, "${name} ${step}");\n`,
    );
    return `export function ${name}${index}(input: number): number {\n  let total = ${value};\n${steps.join("")}  return total;\n}\n`;
  });
  return `import { setup } from "./setup.ts";\n\n${bodies.join("\n")}`;
}

test("thirty-four commits walked one by one come to the same rows as a full build of the last", { timeout: 600_000 }, async () => {
  const chance = createChance(4);
  const modules = new Map<string, number[]>();
  const pathOf = (number: number) => `src/${["api", "store", "deep/er"][number % 3]}/module${number}.ts`;
  for (let commit = 0; commit < 34; commit++) {
    const changed: Record<string, string | Buffer> = {};
    for (let change = 0; change < 1 + chance(5); change++) {
      const path = pathOf(chance(20));
      const known = modules.get(path);
      if (known !== undefined && chance(4) === 0) {
        modules.delete(path);
        delete changed[path];
        await rm(join(source.directory, path), { force: true });
        continue;
      }
      const functions = known ?? Array.from({ length: 1 + chance(8) }, () => chance(30));
      functions[chance(functions.length)] = chance(30);
      modules.set(path, functions);
      changed[path] = moduleText(`f${path.length}x${chance(3)}`, functions);
    }
    if (commit % 7 === 3) {
      Object.assign(changed, { "image.png": Buffer.from([137, 80, 0, commit]), "notes.md": `# Notes\n\nof ${commit}\n`, "empty.txt": "" });
    }
    if (commit === 20) {
      await symlink("notes.md", join(source.directory, "link.md"));
    }
    if (commit === 30) {
      await rm(join(source.directory, "link.md"));
      changed["link.md"] = "no link any more\n";
    }
    await source.commit(changed);
    await fixture.run({ tenant, repoId });
  }
  const other = await fixture.tenant("two");
  const anew = await fixture.register(other, "o/r", source.url);
  await fixture.run({ tenant: other, repoId: anew, mode: "full" });
  const walked = await readLogicalIndex(fixture.database, { tenant, repoId });
  expect(walked).toEqual(await readLogicalIndex(fixture.database, { tenant: other, repoId: anew }));
  expect(walked.chunks.length).toBeGreaterThan(20);
  expect(walked.vectorless).toBe(0);
  expect(await readLeftovers(fixture.database, tenant)).toEqual({ builds: 1, ...NO_LEFTOVERS });
});

const CONTENTS = ["documents", "code_chunks", "segments", "postings", "trigrams", "symbols", "symbol_references", "vectors_1"];

/** Which transaction wrote each row, and where: any write shows. */
async function rowVersions(tables: readonly string[]): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const table of tables) {
    const { rows } = await sql<{ versions: string }>`
      select string_agg(given.xmin || ' ' || given.ctid, ',' order by ctid) as versions from ${sql.id(tenant.schema, table)} as given
    `.execute(fixture.database.query);
    versions[table] = rows[0]?.versions ?? "";
  }
  return versions;
}

test("a second run writes nothing, and a full one another set of the same contents", async () => {
  await source.commit({ "a.txt": "a\n", "src/b.ts": moduleText("b", [1]), "image.png": Buffer.from([137, 80, 78, 71, 0]) });
  await fixture.run({ tenant, repoId });
  const [all, work] = [await rowVersions([...CONTENTS, "builds", "files", "visible", "embedders"]), { ...fixture.work }];
  await fixture.run({ tenant, repoId });
  expect(await rowVersions(Object.keys(all))).toEqual(all);
  const contents = await rowVersions(CONTENTS);
  await fixture.run({ tenant, repoId, mode: "full" });
  expect(await rowVersions(CONTENTS)).toEqual(contents);
  expect(fixture.work).toEqual(work);
  expect(await readLeftovers(fixture.database, tenant)).toMatchObject({ builds: 1 });
});

test("one changed function of a large file embeds no more than three chunks", async () => {
  const functions = Array.from({ length: 40 }, (_, index) => index);
  await source.commit({ "src/large.ts": moduleText("work", functions), "src/other.ts": moduleText("other", functions) });
  await fixture.run({ tenant, repoId });
  const before = { ...fixture.work };
  functions[20] = 999;
  await source.commit({ "src/large.ts": moduleText("work", functions) });
  await fixture.run({ tenant, repoId });
  expect(fixture.work.split - before.split).toBe(1);
  expect(fixture.work.embedded - before.embedded).toBeLessThanOrEqual(3);
});

test("a second branch and a fork split and embed nothing that is known, and see what is theirs", async () => {
  await source.commit({ "a.ts": moduleText("a", [1, 2, 3]), "b.ts": moduleText("b", [4, 5, 6]) });
  await fixture.run({ tenant, repoId });
  const before = { ...fixture.work };
  source.git("branch", "release");
  await fixture.run({ tenant, repoId, ref: "release" });
  const fork = await fixture.register(tenant, "me/fork", source.url);
  await fixture.run({ tenant, repoId: fork });
  expect(fixture.work).toEqual(before);
  source.git("checkout", "--quiet", "release");
  await source.commit({ "b.ts": moduleText("b", [4, 5, 7]), "c.ts": moduleText("c", [1]) });
  source.git("checkout", "--quiet", "main");
  await fixture.run({ tenant, repoId, ref: "release" });
  expect(fixture.work.split - before.split).toBe(2);
  const index = (of: { repoId: string; ref?: string }) => readLogicalIndex(fixture.database, { tenant, ...of });
  expect((await index({ repoId, ref: "release" })).files).toHaveLength(3);
  expect((await index({ repoId: fork })).files).toHaveLength(2);
  expect(await index({ repoId, ref: "main" })).toEqual(await index({ repoId: fork }));
});

test("a branch that is gone loses its index; the default one goes on", async () => {
  await source.commit({ "a.txt": "a\n" });
  source.git("branch", "release");
  await fixture.run({ tenant, repoId });
  await fixture.run({ tenant, repoId, ref: "release" });
  source.git("branch", "-D", "release");
  await fixture.run({ tenant, repoId, ref: "release" });
  expect(await fixture.database.query.selectFrom("codeindex.refs").select("name").execute()).toEqual([{ name: "main" }]);
  await source.commit({ "b.txt": "b\n" });
  await fixture.run({ tenant, repoId });
  expect(await readLeftovers(fixture.database, tenant)).toMatchObject({ builds: 1, documents: 0 });
});

test("a default branch of another name takes the place of the old one, which goes unless it was asked for", async () => {
  await source.commit({ "a.txt": "a\n" });
  await fixture.run({ tenant, repoId });
  const before = { ...fixture.work };
  source.git("branch", "-m", "main", "trunk");
  await fixture.run({ tenant, repoId });
  const { query } = fixture.database;
  const refs = () => query.selectFrom("codeindex.refs").select(["name", "is_default"]).orderBy("name").execute();
  expect(await refs()).toEqual([{ name: "trunk", is_default: true }]);
  expect(await query.selectFrom("codeindex.repositories").select("default_branch").execute()).toEqual([{ default_branch: "trunk" }]);
  await query
    .updateTable("codeindex.repositories")
    .set({ branches: ["trunk"] })
    .execute();
  source.git("checkout", "--quiet", "-b", "next");
  await fixture.run({ tenant, repoId });
  expect(await refs()).toEqual([
    { name: "next", is_default: true },
    { name: "trunk", is_default: false },
  ]);
  expect(fixture.work).toEqual(before);
});

test("a history that was replaced, and a tree that was emptied, are followed", async () => {
  await source.commit({ "a.txt": "a\n", "b.txt": "b\n" });
  await fixture.run({ tenant, repoId });
  source.git("checkout", "--quiet", "--orphan", "other");
  source.git("rm", "-rf", "--quiet", ".");
  await source.commit({ "c.txt": "c\n" });
  source.git("branch", "-M", "main");
  await fixture.run({ tenant, repoId });
  const index = () => readLogicalIndex(fixture.database, { tenant, repoId });
  expect((await index()).files).toMatchObject([{ path: "c.txt" }]);
  source.git("rm", "--quiet", "c.txt");
  await source.commit({});
  await fixture.run({ tenant, repoId });
  expect(await index()).toMatchObject({ files: [], chunks: [], postings: {} });
  await source.commit({ "d.txt": "d\n" });
  await fixture.run({ tenant, repoId });
  expect((await index()).chunks).toMatchObject([{ path: "d.txt", content: "d\n" }]);
});

test("rules of the repository that change are followed without a new commit, and a lifted one brings back what is known", async () => {
  await source.commit({ "src/a.ts": moduleText("a", [1]), "docs/b.md": "# B\n", ".sightlineignore": "docs/\n" });
  await fixture.run({ tenant, repoId });
  const reasons = async () => {
    const { files } = await readLogicalIndex(fixture.database, { tenant, repoId });
    return Object.fromEntries(files.map((file) => ("path" in file && "skip_reason" in file ? [file.path, file.skip_reason] : [])));
  };
  expect(await reasons()).toMatchObject({ "src/a.ts": null, "docs/b.md": expect.stringContaining(".sightlineignore") });
  await fixture.database.query
    .updateTable("codeindex.repositories")
    .set({ exclude: ["src/"] })
    .execute();
  await fixture.run({ tenant, repoId });
  expect(await reasons()).toMatchObject({ "src/a.ts": expect.stringContaining("src/") });
  await fixture.database.query.updateTable("codeindex.repositories").set({ exclude: [] }).execute();
  await source.commit({ ".sightlineignore": "# nothing\n" });
  await fixture.run({ tenant, repoId });
  expect(await reasons()).toMatchObject({ "src/a.ts": null, "docs/b.md": null });
});

test("contents that an older splitter split are split again", async () => {
  await source.commit({ "a.ts": moduleText("a", [1]), "b.ts": moduleText("b", [2]) });
  await fixture.run({ tenant, repoId });
  const before = { ...fixture.work };
  const fresh = await readLogicalIndex(fixture.database, { tenant, repoId });
  await sql`update ${sql.id(tenant.schema, "documents")} set splitter = splitter - 1`.execute(fixture.database.query);
  await fixture.run({ tenant, repoId });
  expect(fixture.work.split - before.split).toBe(2);
  expect(fixture.work.embedded).toBe(before.embedded);
  expect(await readLogicalIndex(fixture.database, { tenant, repoId })).toEqual(fresh);
  expect(await readLeftovers(fixture.database, tenant)).toMatchObject({ builds: 1, documents: 0 });
});

test("what a job left that died after its switch is deleted by the next one, even when that has nothing to change", async () => {
  await source.commit({ "a.ts": "export const one = 1;\n", "b.ts": "export const two = 2;\n" });
  await fixture.run({ tenant, repoId });
  const died = fixture.run({ tenant, repoId, mode: "full" }, { ended: () => Promise.reject(new Error("killed")) });
  await expect(died).rejects.toThrow("killed");
  expect(await readLeftovers(fixture.database, tenant)).toMatchObject({ builds: 2 });
  await fixture.run({ tenant, repoId });
  expect(await readLeftovers(fixture.database, tenant)).toEqual({ builds: 1, ...NO_LEFTOVERS });
});
