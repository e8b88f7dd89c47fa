import { isBranchName } from "./branch-name.ts";
import { withRemote, type ReachedRemote, type Remote } from "./remote.ts";
import { SourceError } from "./source-error.ts";

export type Branch = { readonly name: string; readonly commit: string };

export type RemoteBranches = {
  /** `null` when HEAD of the remote is detached. */
  readonly defaultBranch: string | null;
  /** The commit of the remote's HEAD. */
  readonly head: string;
  readonly branches: readonly Branch[];
};

/**
 * The branches of a remote repository and their newest commits; nothing is fetched.
 *
 * @throws {SourceError} with git's own reason.
 */
export async function listBranches(remote: Remote, { signal }: { readonly signal: AbortSignal }): Promise<RemoteBranches> {
  return withRemote(remote, signal, async (reached) => {
    const { defaultBranch, head, branches } = parseRemoteRefs(await listRemoteRefs(reached, "refs/heads/*"));
    if (head === undefined) {
      throw emptyRepository();
    }
    return { defaultBranch, head, branches };
  });
}

/**
 * One branch of a remote, or the default one.
 *
 * @throws {SourceError} `branch_missing`
 */
export async function findBranch(reached: ReachedRemote, name: string | undefined): Promise<FoundBranch> {
  if (name !== undefined && !isBranchName(name)) {
    throw new SourceError(`A branch can't have the name ${JSON.stringify(name.slice(0, 200))}.`, {
      transient: false,
      problem: "branch_missing",
    });
  }
  const { defaultBranch, head, branches } = parseRemoteRefs(
    await listRemoteRefs(reached, name === undefined ? "HEAD" : `refs/heads/${name}`),
  );
  if (name === undefined) {
    if (head === undefined) {
      throw emptyRepository();
    }
    return { ref: defaultBranch ?? "HEAD", isDefault: true, defaultBranch, commit: head };
  }
  const found = branches.find((branch) => branch.name === name);
  if (found === undefined) {
    throw new SourceError(`The branch ${name} does not exist in the repository.`, { transient: false, problem: "branch_missing" });
  }
  return { ref: name, isDefault: name === defaultBranch, defaultBranch, commit: found.commit };
}

export type FoundBranch = {
  /** The branch's name; `HEAD` for a default that is no branch. */
  readonly ref: string;
  readonly isDefault: boolean;
  readonly defaultBranch: string | null;
  readonly commit: string;
};

function listRemoteRefs(reached: ReachedRemote, pattern: string): Promise<Buffer> {
  return reached.git(["ls-remote", "--symref"], ["HEAD", pattern]);
}

function parseRemoteRefs(answer: Buffer) {
  const branches: Branch[] = [];
  let defaultBranch: string | null = null;
  let head: string | undefined;
  for (const line of answer.toString("utf8").split("\n")) {
    const [value = "", name = ""] = line.split("\t");
    if (name === "HEAD" && value.startsWith("ref: refs/heads/")) {
      defaultBranch = value.slice("ref: refs/heads/".length);
    } else if (name === "HEAD") {
      head = value;
    } else if (name.startsWith("refs/heads/")) {
      branches.push({ name: name.slice("refs/heads/".length), commit: value });
    }
  }
  return { head, branches, defaultBranch: defaultBranch !== null && isBranchName(defaultBranch) ? defaultBranch : null };
}

function emptyRepository(): SourceError {
  return new SourceError("The repository is empty, or its default branch does not exist.", { transient: false, problem: "branch_missing" });
}
