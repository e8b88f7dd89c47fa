import { Loader, Text } from "@mantine/core";
import type { GrepAnswer } from "@sightline/code-index/contract";
import { IconZoomExclamation } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { grepQuery } from "#features/code/api/grep.ts";
import { joinFiles } from "./join-files.ts";
import type { SearchState } from "#features/code/query/search-state.ts";
import { useApi } from "#http/api-context.ts";
import { formatCount, formatDuration, plural } from "#ui/words/format.ts";
import { EmptyPanel, LoadingRows } from "#ui/kit/list-states.tsx";
import { AnswerError } from "./answer-error.tsx";
import { AnswerNotes } from "./answer-notes.tsx";
import { GrepResults } from "./grep-results.tsx";
import { MoreResults } from "./more-results.tsx";
import { NothingFound } from "./nothing-found.tsx";
import { SearchedIndexes } from "./searched-indexes.tsx";
import classes from "./answer.module.css";

/** Every matching line, by file. */
export function GrepAnswerView({
  state,
  onChange,
}: {
  readonly state: SearchState;
  readonly onChange: (change: Partial<SearchState>) => void;
}) {
  const grep = useInfiniteQuery(grepQuery(useApi(), state));
  const pages = grep.data?.pages ?? [];
  const first = pages[0];
  const last = pages.at(-1);
  // A pattern that is not finished yet is refused; the lines of the one before would say nothing about it.
  if (first === undefined || last === undefined || (grep.error !== null && !grep.isFetchNextPageError)) {
    return grep.error === null ? (
      <div className={classes.waiting}>
        <LoadingRows rows={4} height={90} />
      </div>
    ) : (
      <AnswerError error={grep.error} onRetry={() => void grep.refetch()} />
    );
  }
  const files = joinFiles(pages.flatMap((page) => page.files));
  const lines = pages.reduce((sum, { matches }) => sum + matches, 0);
  return (
    <>
      <div className={classes.summary}>
        <Text fz="sm" c="dimmed" role="status">
          {countOf(lines, first)} in {plural(files.length, "file", "files")}, {formatDuration(first.ms)}
        </Text>
        {grep.isPlaceholderData && <Loader size={14} aria-label="Searching" />}
        <SearchedIndexes index={first.index} />
      </div>
      <AnswerNotes
        partial={
          last.partial ? (last.reason ?? "The search had to stop before everything was looked at, so lines may be missing.") : undefined
        }
        notes={last.notes}
        error={null}
      />
      {files.length === 0 ? (
        <EmptyPanel
          icon={<IconZoomExclamation />}
          title={last.partial ? "Nothing found yet" : "No line matches"}
          description={<NothingFound state={state} filtered={false} onChange={onChange} />}
        />
      ) : (
        <>
          <GrepResults files={files} ofBranch={state.ref !== undefined} />
          <MoreResults
            list={grep}
            end={last.partial ? "Those are the lines found before the search had to stop." : "Those are all lines."}
          />
        </>
      )}
    </>
  );
}

function countOf(lines: number, { total, next_cursor: next }: GrepAnswer): string {
  const shown = plural(lines, "matching line", "matching lines");
  if (total !== null && total > lines) {
    return `${formatCount(lines)} of ${plural(total, "matching line", "matching lines")}`;
  }
  return total === null && next !== null ? `${shown} and more` : shown;
}
