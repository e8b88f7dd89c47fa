import { randomUUID } from "node:crypto";
import type { CommitsRequest } from "#contract.ts";
import { keepOneHistory } from "#indexing/history/keep-history.ts";
import { searchCommits } from "#retrieval/commits/search-commits.ts";
import type { Tenant } from "#store/tenancy/tenant.ts";
import { startBuildFixture, type BuildFixture } from "./build-fixture.ts";
import { createGitRepository, type GitRepository } from "./git-repository.ts";
import { seedBuild } from "./seed-build.ts";

/** Repositories whose histories are kept, one after the other; `begin` makes the next. */
export type HistoryFixture = {
  readonly fixture: BuildFixture;
  readonly tenant: Tenant;
  readonly begin: () => Promise<void>;
  readonly source: () => GitRepository;
  readonly repoId: () => string;
  readonly repo: () => string;
  /** A commit with a message, of one or more files. */
  readonly commit: (message: string, files: Readonly<Record<string, string>>, ...flags: readonly string[]) => Promise<string>;
  /** Has the branch's newest commit indexed, as a job leaves it; a history needs nothing of the files. */
  readonly seed: (ref?: string) => Promise<void>;
  /** Brings the histories of all branches up. */
  readonly keep: (depth?: number) => Promise<void>;
  /** Both. */
  readonly index: (depth?: number, ref?: string) => Promise<void>;
  readonly commits: (asked?: Partial<CommitsRequest>, within?: Within) => ReturnType<typeof searchCommits>;
  readonly subjects: (asked?: Partial<CommitsRequest>) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
};

type Within = { readonly ref?: string; readonly repositories?: readonly string[]; readonly tenant?: Tenant };

export async function startHistoryFixture(): Promise<HistoryFixture> {
  const fixture = await startBuildFixture();
  const tenant = await fixture.tenant("one");
  const sources: GitRepository[] = [];
  let repo = "";
  let repoId = "";
  const source = () => {
    const last = sources.at(-1);
    if (last === undefined) {
      throw new Error("No repository was begun.");
    }
    return last;
  };
  const seed = async (ref = "main") => {
    const commit = source().git("rev-parse", ref);
    ({ repoId } = await seedBuild(fixture.database, { tenant, repo, ref, commit, files: {} }));
    await fixture.database.query.updateTable("codeindex.repositories").set({ clone_url: source().url }).where("id", "=", repoId).execute();
  };
  const keep = async (depth = 100) => {
    const never = new AbortController().signal;
    while (await keepOneHistory({ ...fixture.tools, depth }, never)) {
      // The next one.
    }
  };
  const commits: HistoryFixture["commits"] = (asked = {}, within = {}) =>
    searchCommits(fixture.database, { tenant, repo, ...within }, { limit: 50, ...asked });
  return {
    fixture,
    tenant,
    source,
    repo: () => repo,
    repoId: () => repoId,
    begin: async () => {
      sources.push(await createGitRepository());
      repo = `acme/${randomUUID().slice(0, 8)}`;
    },
    commit: async (message, files, ...flags) => {
      await source().commit(files);
      source().git("commit", "--amend", "--allow-empty", "--quiet", "--message", message, ...flags);
      return source().git("rev-parse", "HEAD");
    },
    seed,
    keep,
    index: async (depth, ref) => {
      await seed(ref);
      await keep(depth);
    },
    commits,
    subjects: async (asked) => (await commits(asked)).commits.map(({ subject }) => subject),
    stop: async () => {
      await fixture.stop();
      await Promise.all(sources.map((each) => each.remove()));
    },
  };
}
