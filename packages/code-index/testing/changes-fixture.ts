import { randomUUID } from "node:crypto";
import { repeat } from "@sightline/foundation/repeat";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createGitAnswerer } from "#indexing/reading/answer-git.ts";
import { keepOneHistory } from "#indexing/history/keep-history.ts";
import type { RepositoryScope } from "#retrieval/files/read-files.store.ts";
import { startBuildFixture, type BuildFixture } from "./build-fixture.ts";

/** Repositories that are indexed, and their histories kept, as the indexer does it. */
export type ChangesFixture = Pick<BuildFixture, "database" | "stop"> & {
  /** Indexes a repository, by default what `url` has now. */
  readonly index: (url: string, options?: { readonly depth?: number; readonly repoId?: string }) => Promise<Indexed>;
  /** Brings the histories up without indexing, as an indexer that was late does. */
  readonly keep: (depth?: number) => Promise<void>;
  readonly fixture: BuildFixture;
};

export type Indexed = { readonly scope: RepositoryScope; readonly repoId: string };

export async function startChangesFixture(): Promise<ChangesFixture> {
  const fixture = await startBuildFixture();
  const tenant = await fixture.tenant("one");
  const answering = repeat({
    log: silentLog,
    tasks: [{ name: "answering from git", everyMs: 5, restMs: 20, run: createGitAnswerer(fixture.tools) }],
  });
  answering.start();
  const names = new Map<string, string>();
  const keep = async (depth = 10_000) => {
    while (await keepOneHistory({ ...fixture.tools, depth }, new AbortController().signal)) {
      // The next one.
    }
  };
  return {
    fixture,
    database: fixture.database,
    stop: async () => {
      await answering.stop();
      await fixture.stop();
    },
    keep,
    index: async (url, { depth, repoId: known } = {}) => {
      const repo = names.get(known ?? "") ?? `acme/${randomUUID().slice(0, 8)}`;
      const repoId = known ?? (await fixture.register(tenant, repo, url));
      names.set(repoId, repo);
      await fixture.run({ tenant, repoId });
      await keep(depth);
      return { repoId, scope: { tenant, repo } };
    },
  };
}
