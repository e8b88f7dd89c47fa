import { Loader, Text } from "@mantine/core";
import { type GrepAnswer, grepAnswerSchema } from "@sightline/code-index/contract";
import { IconZoomExclamation } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type SearchState, isOn } from "#features/code/query/search-state.ts";
import { codeIndex } from "#http/calls.ts";
import { pageByPage } from "#http/queries.ts";
import { formatCount, formatDuration, plural } from "#ui/words/format.ts";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { joinFiles } from "./grep-lines.ts";
import { NoAnswer } from "./no-answer.tsx";
import { AnswerNotes } from "#ui/kit/answer-notes.tsx";
import { GrepResults } from "./grep-results.tsx";
import { NothingFound } from "./nothing-found.tsx";
import { SearchedIndexes } from "./searched-indexes.tsx";
import classes from "./answer.module.css";

type GrepAnswerViewProps = { readonly state: SearchState; readonly onChange: (change: Partial<SearchState>) => void };

/** Every matching line, by file. */
export function GrepAnswerView({ state, onChange }: GrepAnswerViewProps) {
  const grep = useInfiniteQuery(grepQuery(state));
  const pages = grep.data?.pages ?? [];
  const first = pages[0];
  const last = pages.at(-1);
  // A pattern that is not finished yet is refused; the lines of the one before would say nothing about it.
  if (first === undefined || last === undefined || (grep.error !== null && !grep.isFetchNextPageError)) {
    return <NoAnswer list={grep} rowHeight={90} />;
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
        partial={last.partial ? (last.reason ?? "The search stopped early, so some lines may be missing.") : undefined}
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
          <LoadMore list={grep} endOfResults={last.partial ? "These are the lines found before the search stopped." : "No more lines."} />
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
  return total === null && next !== null ? `${formatCount(lines)}+ matching lines` : shown;
}

const PAGE_SIZE = 100;
const CONTEXT_LINES = 1;

/** Every line that matches, by repository, path and line, page by page. */
function grepQuery({ q: pattern = "", repo, path, lang, ref, ...how }: SearchState) {
  const query = {
    pattern,
    repo,
    path,
    lang,
    ref,
    regex: isOn(how.regex) ? "true" : undefined,
    case: isOn(how.case) ? "sensitive" : "insensitive",
    context: CONTEXT_LINES,
  };
  const call = codeIndex.get("/api/v1/grep", { query: { ...query, limit: PAGE_SIZE }, answer: grepAnswerSchema });
  return { ...pageByPage(["grep", query], call), placeholderData: keepPreviousData, staleTime: 30_000 };
}
