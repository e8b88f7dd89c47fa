import type { Place } from "#git/revisions/place.ts";
import type { IndexedBranch } from "#git/revisions/resolve-revision.ts";
import type { ChangeRules } from "#indexing/build/change-rules.ts";

/** What a question about a repository's commits is answered from. */
export type Reading = {
  readonly repo: string;
  readonly branch: IndexedBranch;
  readonly place: Place;
  /** The rules of the indexed commit: what is left out of the index is told of at no commit. */
  readonly rules: ChangeRules;
  /** @throws {Beyond} when the commit may be one that is not in the place. */
  readonly resolve: (revision: string) => Promise<string>;
  /** Notes that the answer is not all, since the commits of the place end; why, for people. */
  readonly goBeyond: (note: string) => void;
  readonly signal: AbortSignal;
};
