import { eachOwnerUnderTest } from "@sightline/foundation/testing/each-owner";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { readConfig } from "@sightline/foundation/config";
import { createLog } from "@sightline/foundation/log";
import { migrateUp } from "@sightline/foundation/database/migrations";
import { sql } from "kysely";
import { createEmbedder } from "#embedding/create-embedder.ts";
import { indexVectors } from "#indexing/embedding/index-vectors.ts";
import { mergeSegments } from "#indexing/build/merge-segments.ts";
import { planWhole } from "#indexing/build/plan-build.ts";
import { readFiles } from "#indexing/build/read-file.ts";
import { createBuildWriter } from "#indexing/build/write-build.ts";
import { embedderVariables } from "#config.ts";
import type { CodeIndexTables } from "#schema.ts";
import { createSplitter } from "#splitting/splitter.ts";
import { attachFiles, beginBuild } from "#store/index/builds.store.ts";
import type { NewDocument } from "#indexing/build/documents.store.ts";
import { enqueueJob } from "#store/records/jobs.store.ts";
import { claimJob } from "#store/records/claim-job.store.ts";
import { codeIndexMigrations } from "#store/tenancy/migrations.ts";
import { registerRepository } from "#store/records/repositories.store.ts";
import { sweepTenant } from "#store/index/sweep.store.ts";
import { switchBuild } from "#indexing/build/switch.store.ts";
import { ensureTenant, type Tenant } from "#store/tenancy/tenant.ts";
import { ensureEmbedder } from "#store/index/vectors.store.ts";
import { writeVisible } from "#indexing/build/visible.store.ts";
import { addCopy, withoutIndexes } from "./multiply-index.ts";
import { perturber } from "./perturb.ts";

/**
 * Fills a tenant with so many chunks of the newest commits of git repositories on this machine, as an indexer writes them: the
 * repositories themselves first, and then copies with other identifiers, until there are as many chunks as shall be distinct. From there
 * on the database copies whole repositories. Arguments: the database's address, how many chunks, how many of them distinct, the
 * repositories. Prints what there is; goes on where it was killed.
 */
const [url = "", wanted = "0", distinct = "0", ...paths] = process.argv.slice(2);
const log = createLog({ name: "fill", level: "warn" });
const database = createDatabase<CodeIndexTables>({ url, poolSize: 4, applicationName: "fill", log, statementTimeoutMs: 3_600_000 });
const { signal } = new AbortController();
const configured = createEmbedder(readConfig(embedderVariables, process.env));
if (configured === undefined) {
  throw new Error("CODEINDEX_EMBEDDER=none makes no vectors to search.");
}
const embedder = configured;
const splitter = createSplitter({ log });

await migrateUp(database.pool, codeIndexMigrations);
const tenant = await ensureTenant(database, { tenantId: "bench", name: "bench" });
const embedderId = await ensureEmbedder(database, tenant, embedder.identity);
const { chunks: before, repositories: known } = await whatIsThere(tenant);
let chunks = before;
const names = new Set(known);
const first = Math.min(Number(wanted), Number(distinct));
const originals = chunks >= first ? [] : await readAll();
const perturb = perturber(
  originals.flatMap(({ documents }) => documents).flatMap((document) => document.chunks.map(({ content }) => content)),
);
for (let copy = 0; chunks < first; copy++) {
  for (const { name, documents } of originals) {
    const fullName = `bench/${name}${copy === 0 ? "" : `-${copy}`}`;
    if (chunks < first && !names.has(fullName)) {
      chunks += await write(fullName, copy === 0 ? documents : documents.map(perturb(`${fullName}/`)));
      names.add(fullName);
      process.stderr.write(`${fullName}: ${chunks} chunks\n`);
    }
  }
}
while (await mergeSegments(database, tenant)) {
  await sweepTenant(database, tenant);
}
if (chunks < Number(wanted)) {
  await withoutIndexes(database, tenant, multiply);
}
await indexVectors({ database, clock: systemClock, log, each: eachOwnerUnderTest() }, signal);
await sql`vacuum (analyze)`.execute(database.query);
process.stdout.write(
  `${JSON.stringify({ tenantId: tenant.tenantId, schema: tenant.schema, embedderId, chunks, repositories: [...names] })}\n`,
);
await splitter.close();
await database.close();

async function whatIsThere({ tenantId }: Tenant) {
  await sql`
    delete from codeindex.repositories as repository
    where not exists (select from codeindex.refs as ref where ref.repo_id = repository.id and ref.generation is not null)
  `.execute(database.query);
  const { rows } = await sql<{ full_name: string; chunks: number }>`
    select repository.full_name, ref.chunks
    from codeindex.repositories as repository join codeindex.refs as ref on ref.repo_id = repository.id and ref.generation is not null
    where repository.tenant_id = ${tenantId}
  `.execute(database.query);
  return { chunks: rows.reduce((sum, row) => sum + row.chunks, 0), repositories: rows.map((row) => row.full_name) };
}

async function multiply(): Promise<void> {
  const own = [...names].filter((name) => !isCopy(name)).length;
  for (let copies = Math.round(names.size / own) - 1; chunks < Number(wanted); copies++) {
    await addCopy(database, { tenant, embedderId, copies });
    const there = await whatIsThere(tenant);
    chunks = there.chunks;
    there.repositories.forEach((name) => names.add(name));
    process.stderr.write(`copy ${copies + 1}: ${chunks} chunks\n`);
  }
}

function isCopy(name: string): boolean {
  return /-copy-\d+$/.test(name);
}

async function readAll() {
  const read: { readonly name: string; readonly documents: readonly NewDocument[] }[] = [];
  for (const path of paths) {
    const checkout = resolve(path, ".git");
    const directory = existsSync(checkout) ? checkout : resolve(path);
    const mirror = { directory, ref: "main", commit: "HEAD", isDefault: true, defaultBranch: "main" };
    const { files } = await planWhole({ mirror, include: [], exclude: [], signal });
    const documents: NewDocument[] = [];
    for await (const document of readFiles(files, { mirror, splitter, signal })) {
      documents.push(document);
    }
    read.push({ name: repositoryName(directory), documents: documents.filter((document) => document.skip_reason === null) });
    process.stderr.write(`read ${repositoryName(directory)}: ${documents.length} files\n`);
  }
  return read;
}

/** `…/prometheus+prometheus/repo`, `…/prometheus.git` and `…/prometheus/.git` are all called prometheus. */
function repositoryName(directory: string): string {
  const parts = directory.replace(/(?:\/repo|\/?\.git)$/, "").split(/[/+]/);
  return parts.at(-1) ?? directory;
}

async function write(fullName: string, documents: readonly NewDocument[]): Promise<number> {
  const { tenantId, schema, role } = tenant;
  const { id: repoId } = await registerRepository(database, { tenantId, fullName, cloneUrl: `file:///bench/${fullName}` });
  await enqueueJob(database, { tenantId, repoId, mode: "full", trigger: "api", now: new Date() });
  const job = await claimJob(database, { workerId: randomUUID(), now: new Date() });
  if (job?.repoId !== repoId) {
    throw new Error("Another job was claimed: use a database that nobody else does.");
  }
  const build = await beginBuild(database.query, { tenantId, schema, role, repoId, ref: "main", lease: job, now: new Date() });
  const writer = createBuildWriter({ database, build, embedder: { embedder, embedderId }, signal });
  for (const document of documents) {
    await writer.add(document);
  }
  const left = new Set(await writer.finish());
  const files = documents.filter(({ path }) => left.has(path));
  await attachFiles(database, build, files);
  await writeVisible(database, build);
  const indexed = { lease: job, commit: "0".repeat(40), isDefault: true, pushes: 0, entries: documents.length, now: new Date() };
  if (!(await switchBuild(database, build, indexed))) {
    throw new Error("The build was not switched to.");
  }
  return documents.reduce((sum, document) => sum + document.chunks.length, 0);
}
