import { useInfiniteQuery } from "@tanstack/react-query";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { commitsQuery } from "#features/code/api/commits.ts";
import type { Branch } from "#features/code/api/files.ts";
import { AnswerNotes } from "#ui/kit/answer-notes.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { plural } from "#ui/words/format.ts";
import { CommitEntry, CommitList } from "./commit-entry.tsx";

/** The commits of a branch, or those that changed a file, newest first, as far back as is kept. */
export function CommitsOf({ branch, path }: { readonly branch: Branch; readonly path?: string }) {
  const list = useInfiniteQuery(commitsQuery(branch, path));
  const [first] = list.data?.pages ?? [];
  if (first === undefined) {
    return <Unanswered query={list} failed="The history could not be loaded" loading={<LoadingRows rows={6} height={40} />} />;
  }
  const commits = list.data?.pages.flatMap((page) => page.commits) ?? [];
  const { commits: known, complete } = first.depth;
  const earlier = first.path?.names.filter((name) => name !== path) ?? [];
  const extent = complete ? "the whole history" : `the newest ${plural(known, "commit", "commits")} of the branch`;
  return (
    <>
      <AnswerNotes partial={undefined} notes={first.notes} error={null} />
      {earlier.length > 0 && (
        <Dimmed size="xs" mb="xs">
          Was called {earlier.join(", then ")} before.
        </Dimmed>
      )}
      <CommitList>
        {commits.map((commit) => (
          <CommitEntry
            key={commit.commit}
            commit={commit}
            refName={branch.ref}
            facts={<span>{plural(commit.paths_total, "file", "files")}</span>}
          />
        ))}
      </CommitList>
      {commits.length === 0 ? (
        <Dimmed>{known === 0 ? "The history is not fetched yet." : `No commit in ${extent} changed this file.`}</Dimmed>
      ) : (
        <LoadMore list={list} endOfResults={complete ? "End of the history." : `Those are all in ${extent}.`} />
      )}
    </>
  );
}
