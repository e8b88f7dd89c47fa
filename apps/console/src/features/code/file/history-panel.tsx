import { SegmentedControl, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { commitsQuery, lineHistoryQuery } from "#features/code/api/commits.ts";
import type { Branch } from "#features/code/api/files.ts";
import { CommitEntry, CommitList } from "#features/code/commit/commit-entry.tsx";
import { CommitsOf } from "#features/code/commit/commits-of.tsx";
import { DiffLines } from "#features/code/commit/file-diff.tsx";
import { AnswerNotes } from "#ui/kit/answer-notes.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { type LineRange, formatLineRange } from "#features/code/model/line-range.ts";
import classes from "./history-panel.module.css";

type OfFile = { readonly branch: Branch; readonly path: string };
/** The lines that are chosen, of the file at a commit. */
type Chosen = { readonly lines: LineRange | undefined; readonly commit: string };

/** The commits that changed a file, or the lines of it that are chosen. */
export function HistoryPanel({ lines, commit, ...file }: OfFile & Chosen) {
  const [isWhole, setWhole] = useState(false);
  if (lines === undefined) {
    return <CommitsOf {...file} />;
  }
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="xs"
        fullWidth
        aria-label="Of what the history is"
        data={[
          { value: "lines", label: `Lines ${formatLineRange(lines).replaceAll("L", "")}` },
          { value: "file", label: "The whole file" },
        ]}
        value={isWhole ? "file" : "lines"}
        onChange={(chosen) => setWhole(chosen === "file")}
      />
      {isWhole ? <CommitsOf {...file} /> : <LineHistory {...file} lines={lines} commit={commit} />}
    </>
  );
}

function LineHistory({ branch, path, lines, commit }: OfFile & Chosen & { readonly lines: LineRange }) {
  const list = useInfiniteQuery(lineHistoryQuery(branch, { path, commit, ...lines }));
  const [first] = list.data?.pages ?? [];
  if (first === undefined) {
    return <Unanswered query={list} failed="The history of the lines could not be loaded" loading={<LoadingRows rows={6} height={40} />} />;
  }
  const changes = list.data?.pages.flatMap((page) => page.changes) ?? [];
  return (
    <>
      <CommitList>
        {changes.map((change) => (
          <CommitEntry
            key={`${change.commit.commit} ${change.path}`}
            commit={change.commit}
            refName={branch.ref}
            facts={change.path !== path && <span>as {change.path}</span>}
          >
            {change.patch !== "" && (
              <DiffLines
                name={`Changes of ${change.path} by ${change.commit.commit.slice(0, 8)}`}
                path={change.path}
                patch={change.patch}
                view="unified"
              />
            )}
          </CommitEntry>
        ))}
      </CommitList>
      <AnswerNotes partial={undefined} notes={list.data?.pages.at(-1)?.notes ?? []} error={null} />
      <LoadMore list={list} endOfResults="No older change of these lines." />
    </>
  );
}

/** The author, time and message of the last commit that changed a file; nothing while it is not known. */
export function LastChanged({ branch, path }: OfFile) {
  const history = useInfiniteQuery(commitsQuery(branch, path));
  const last = history.data?.pages[0]?.commits[0];
  return last === undefined ? null : (
    <Text size="xs" c="dimmed" className={classes.last} title={last.subject}>
      changed <TimeStamp at={last.committed_at} /> by {last.author}: {last.subject}
    </Text>
  );
}
