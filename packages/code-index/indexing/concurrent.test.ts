import { needsRealPostgres } from "@sightline/foundation/testing/test-database";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "#testing/build-fixture.ts";
import { createGitRepository, type GitRepository } from "#testing/git-repository.ts";
import { NO_LEFTOVERS, readLeftovers, readLogicalIndex } from "#testing/logical-index.ts";
import { StoppingError } from "@sightline/foundation/repeat";

let fixture: BuildFixture;
let tenant: Tenant;
let source: GitRepository;
let repositories: readonly string[];

beforeEach(async () => {
  fixture = await startBuildFixture();
  tenant = await fixture.tenant("one");
  source = await createGitRepository();
  await source.commit(Object.fromEntries(Array.from({ length: 90 }, (_, file) => [`src/f${file}.ts`, text(file)])));
  repositories = [
    await fixture.register(tenant, "o/one", source.url),
    await fixture.register(tenant, "o/two", source.url),
    await fixture.register(tenant, "o/three", source.url),
  ];
});

afterEach(async () => {
  await fixture.stop();
  await source.remove();
});

/** Some chunks each: the files are written in several batches. */
const text = (file: number) =>
  Array.from({ length: 650 }, (_, line) => `export function f${file}x${line}() {\n  return ${line};\n}\n`).join("");

const index = (repoId = "") => readLogicalIndex(fixture.database, { tenant, repoId });

async function countDocuments(condition = sql`true`): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.id(tenant.schema, "documents")} where ${condition}
  `.execute(fixture.database.query);
  return rows[0]?.count ?? -1;
}

/** Waits until so many have come. */
function createBarrier(expected: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return async () => {
    come++;
    if (come >= expected) {
      all.resolve();
    }
    await all.promise;
  };
}

test(
  "three builds that write the same contents at once share them, and none fails",
  { timeout: 120_000, ...needsRealPostgres },
  async () => {
    const barrier = createBarrier(3);
    await Promise.all(
      repositories.map(async (repoId) => {
        let first = true;
        await fixture.run(
          { tenant, repoId },
          {
            // Nobody has written anything when the last of them has looked at what is known.
            beforeSplit: async () => {
              if (first) {
                first = false;
                await barrier();
              }
            },
          },
        );
      }),
    );
    const [one, two, three] = await Promise.all(repositories.map((repoId) => index(repoId)));
    expect(one?.files).toHaveLength(90);
    expect(two).toEqual(one);
    expect(three).toEqual(one);
    expect(await countDocuments()).toBe(90);
    expect(await readLeftovers(fixture.database, tenant)).toEqual({ builds: 3, ...NO_LEFTOVERS });
  },
);

test(
  "a build waits for contents that another is writing, and takes over when that one dies",
  { timeout: 120_000, ...needsRealPostgres },
  async () => {
    const [dying = "", other = ""] = repositories;
    const death = new AbortController();
    let split = 0;
    const died = fixture
      .run(
        { tenant, repoId: dying },
        {
          signal: death.signal,
          beforeSplit: async () => {
            split++;
            if (split > 70) {
              await new Promise((_, reject) => death.signal.addEventListener("abort", () => reject(new StoppingError())));
            }
          },
        },
      )
      .catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await countDocuments(sql`not complete`)).toBeGreaterThan(10), { timeout: 30_000, interval: 20 });
    let over = false;
    const waiting = fixture.run({ tenant, repoId: other }).then(() => {
      over = true;
    });
    await vi.waitFor(async () => expect(await countDocuments(sql`complete`)).toBeGreaterThan(10), { timeout: 30_000, interval: 20 });
    expect(over).toBe(false);
    death.abort(new StoppingError());
    expect(await died).toBeInstanceOf(StoppingError);
    // As the watchdog does when its indexer was silent for too long.
    await sql`update codeindex.index_jobs set status = 'failed' where repo_id = ${dying}`.execute(fixture.database.query);
    await waiting;
    expect((await index(other)).files).toHaveLength(90);
    await fixture.run({ tenant, repoId: dying });
    expect(await index(dying)).toEqual(await index(other));
    expect(await readLeftovers(fixture.database, tenant)).toEqual({ builds: 2, ...NO_LEFTOVERS });
  },
);
