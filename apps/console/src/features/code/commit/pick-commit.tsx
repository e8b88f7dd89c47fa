import type { Repository } from "@sightline/code-index/contract";
import { foundCommitsQuery } from "#features/code/api/commits.ts";
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

const HASH = /^[0-9a-f]{4,64}$/iu;

/** Finds a commit of a branch by its message, its hash, or the branch that ends with it. */
export function PickCommit({ repository, refName, label, onPick }: PickCommitProps) {
  const branches = repository.refs.flatMap(({ name, indexed_commit: commit }) =>
    commit === null ? [] : [{ commit, name: `Branch ${name}` }],
  );
  return (
    <PickBySearch
      label={label}
      find={{ label: "Find a commit", description: "Words of its message, its hash, or a branch" }}
      query={(asked) => foundCommitsQuery({ id: repository.id, ref: refName }, asked)}
      itemsOf={({ commits }, asked): readonly Choice[] => [
        ...(HASH.test(asked) ? [{ commit: asked, name: `Commit ${asked}` }] : []),
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
            {commit.slice(0, 8)}
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
