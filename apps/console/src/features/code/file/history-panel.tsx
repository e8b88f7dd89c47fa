import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { commitsQuery } from "#features/code/api/commits.ts";
import type { Branch } from "#features/code/api/files.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { plural } from "#ui/words/format.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { AnswerNotes } from "#features/code/search/answer-notes.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { CommitLink } from "#features/code/commit/commit-link.tsx";
import classes from "./history-panel.module.css";

type HistoryProps = { readonly branch: Branch; readonly path: string };

/** The commits that changed a file, newest first, as far back as is kept. */
export function HistoryPanel({ branch, path }: HistoryProps) {
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
        <Text size="xs" c="dimmed" mb="xs">
          Was called {earlier.join(", then ")} before.
        </Text>
      )}
      <ol className={classes.list}>
        {commits.map(({ commit, subject, body, author, author_email: email, committed_at: at, paths_total: paths }) => (
          <li key={commit} className={classes.commit}>
            <CommitLink
              repo={first.repo}
              refName={branch.ref}
              commit={commit}
              className={classes.subject}
              title={body === "" ? undefined : body}
            >
              {subject}
            </CommitLink>
            <span className={classes.by}>
              <CopyableId value={commit} label="commit" />
              <span title={email}>{author}</span>
              <TimeStamp at={at} />
              <span>{plural(paths, "file", "files")}</span>
            </span>
          </li>
        ))}
      </ol>
      {commits.length === 0 ? (
        <Text size="sm" c="dimmed">
          {known === 0 ? "The history is not fetched yet." : `No commit in ${extent} changed this file.`}
        </Text>
      ) : (
        <LoadMore list={list} endOfResults={complete ? "End of the history." : `Those are all in ${extent}.`} />
      )}
    </>
  );
}

/** Who changed a file last, when and why; nothing while it is not known. */
export function LastChanged({ branch, path }: HistoryProps) {
  const history = useInfiniteQuery(commitsQuery(branch, path));
  const last = history.data?.pages[0]?.commits[0];
  return last === undefined ? null : (
    <Text size="xs" c="dimmed" className={classes.last} title={last.subject}>
      changed <TimeStamp at={last.committed_at} /> by {last.author}: {last.subject}
    </Text>
  );
}
