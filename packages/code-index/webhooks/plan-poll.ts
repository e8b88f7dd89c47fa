import type { RemoteBranches } from "#git/branches.ts";
import type { LastJob, PolledBranch } from "./polls.store.ts";
import type { PlannedJob } from "./plan-jobs.ts";

type Polled = {
  readonly remote: RemoteBranches;
  /** Branches to index beside the default one. */
  readonly wanted: readonly string[];
  readonly branches: readonly PolledBranch[];
  readonly jobs: readonly LastJob[];
  /** Whether the host answers again after it refused. */
  readonly recovered: boolean;
  readonly now: Date;
};

export type PollPlan = {
  readonly jobs: readonly PlannedJob[];
  /** Branches whose newest commit is indexed though pushes seem to be missing. */
  readonly settled: readonly { readonly branch: string; readonly commit: string }[];
  /** Branches that are indexed and not wanted any more. */
  readonly unwanted: readonly string[];
};

/** What failed or was cancelled is not tried again by polls within this time, unless the branch has moved. */
const REST_MS = 6 * 60 * 60_000;

/** Compares what a host has with what is indexed. */
export function planPoll({ remote, wanted, branches, jobs, recovered, now }: Polled): PollPlan {
  const planned: PlannedJob[] = [];
  const settled: PollPlan["settled"][number][] = [];
  const heads = new Map(remote.branches.map(({ name, commit }) => [name, commit]));

  const compare = (ref: string | undefined, { name, commit }: { readonly name: string; readonly commit: string }) => {
    const branch = branches.find((known) => known.name === name);
    const last = jobs.find((job) => job.ref === (ref ?? null));
    if (branch?.indexed_commit === commit && (ref !== undefined || branch.is_default)) {
      if (branch.behind > 0) {
        settled.push({ branch: name, commit });
      }
    } else if (mayTry(last, { commit, recovered, now })) {
      planned.push({ ref, commit });
    }
  };

  const defaultBranch = remote.defaultBranch ?? "HEAD";
  compare(undefined, { name: defaultBranch, commit: remote.head });
  for (const name of wanted.filter((branch) => branch !== defaultBranch)) {
    const commit = heads.get(name);
    if (commit !== undefined) {
      compare(name, { name, commit });
    }
  }
  // A job that does not find its branch takes its index away.
  const gone = branches.filter(({ name, is_default: isDefault }) => !isDefault && wanted.includes(name) && !heads.has(name));
  const idle = gone.filter(({ name }) => jobs.find((job) => job.ref === name)?.active !== true);
  return {
    jobs: [...planned, ...idle.map(({ name }) => ({ ref: name, commit: null }))],
    settled,
    unwanted: branches
      .filter(({ name, is_default: isDefault }) => !isDefault && name !== defaultBranch && !wanted.includes(name))
      .map(({ name }) => name),
  };
}

type Trying = { readonly commit: string; readonly recovered: boolean; readonly now: Date };

function mayTry(last: LastJob | undefined, { commit, recovered, now }: Trying): boolean {
  if (last === undefined) {
    return true;
  }
  // A job that was cancelled before it fetched has no commit.
  const same = last.commit === commit || (last.ended === "cancelled" && last.commit === null);
  const rests = last.ended !== null && same && now.getTime() - (last.completed_at ?? now).getTime() < REST_MS;
  return !last.active && (!rests || (recovered && last.ended === "failed"));
}
