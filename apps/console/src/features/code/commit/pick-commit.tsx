import type { Repository } from "@sightline/code-index/contract";
import { foundCommitsQuery } from "#features/code/api/commits.ts";
import { shortRevision } from "#ui/words/short-revision.ts";
import { PickBySearch, PickedFacts, PickedName } from "#ui/kit/pick-by-search.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";

type Choice = { readonly commit: string; readonly name: string; readonly author?: string; readonly at?: string };

type PickCommitProps = {
  readonly repository: Repository;
  readonly refName: string | undefined;
  readonly label: string;
  readonly onPick: (commit: string) => void;
};

/** A name that git may read as one: no words of a message. */
const REVISION = /^[^\s:]{2,200}$/u;

/** Finds a commit of a branch by its message, by its hash, tag or steps back, or the branch that ends with it. */
export function PickCommit({ repository, refName, label, onPick }: PickCommitProps) {
  const branches = repository.refs.flatMap(({ name, indexed_commit: commit }) =>
    commit === null ? [] : [{ commit, name: `Branch ${name}` }],
  );
  return (
    <PickBySearch
      label={label}
      find={{ label: "Find a commit", description: "Words of its message, or its hash, a tag, a branch, HEAD~3" }}
      query={(asked) => foundCommitsQuery({ id: repository.id, ref: refName }, asked)}
      itemsOf={({ commits }, asked): readonly Choice[] => [
        ...(REVISION.test(asked) ? [{ commit: asked, name: `Revision ${asked}` }] : []),
        ...branches.filter(({ name }) => name.toLowerCase().includes(asked.toLowerCase())),
        ...commits.map(({ commit, subject, author, committed_at: at }) => ({ commit, name: subject, author, at })),
      ]}
      nothing="No commit matches."
      heading={() => "Branches, and the newest commits"}
      itemKey={({ commit, name }) => `${commit} ${name}`}
      render={({ commit, name, author, at }) => (
        <>
          <PickedName>
            <SafeText text={name} />
          </PickedName>
          <PickedFacts>
            {shortRevision(commit)}
            {author !== undefined && ` · ${author}`}
            {at !== undefined && (
              <>
                {" · "}
                <TimeStamp at={at} />
              </>
            )}
          </PickedFacts>
        </>
      )}
      onPick={({ commit }) => onPick(commit)}
    />
  );
}
