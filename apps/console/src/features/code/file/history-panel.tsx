import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { commitsQuery } from "#features/code/api/commits.ts";
import type { Branch } from "#features/code/api/files.ts";
import { useApi } from "#http/api-context.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { plural } from "#ui/words/format.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { AnswerNotes } from "#features/code/search/answer-notes.tsx";
import { MoreResults } from "#features/code/search/more-results.tsx";
import classes from "./history-panel.module.css";

/** The commits that changed a file, newest first, as far back as is kept. */
export function HistoryPanel({ branch, path }: { readonly branch: Branch; readonly path: string }) {
  const list = useInfiniteQuery(commitsQuery(useApi(), branch, path));
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
            <span className={classes.subject} title={body === "" ? undefined : body}>
              {subject}
            </span>
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
        <MoreResults list={list} end={complete ? "That is the whole history." : `Those are all in ${extent}.`} />
      )}
    </>
  );
}
