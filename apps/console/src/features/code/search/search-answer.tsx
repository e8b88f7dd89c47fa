import "@mantine/core/styles/Switch.layer.css";
import { Loader, Switch, Text, CloseButton } from "@mantine/core";
import type { SearchAnswer } from "@sightline/code-index/contract";
import { IconZoomExclamation } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { searchQuery } from "#features/code/api/search.ts";
import { withoutReadFilter, type ReadFilter } from "#features/code/query/read-filter.ts";
import { type SearchState, isOn } from "#features/code/query/search-state.ts";
import { formatCount, formatDuration, plural } from "#ui/words/format.ts";
import { useShownAtOnce } from "#ui/page/use-shown-at-once.ts";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { ExactLines } from "./exact-lines.tsx";
import { Facets } from "./facets.tsx";
import { NoAnswer } from "./no-answer.tsx";
import { AnswerNotes } from "#ui/kit/answer-notes.tsx";
import { LegStates } from "./leg-chips.tsx";
import { NothingFound } from "./nothing-found.tsx";
import { SearchedIndexes } from "./searched-indexes.tsx";
import { SearchResults } from "./search-results.tsx";
import classes from "./answer.module.css";

type SearchAnswerViewProps = { readonly state: SearchState; readonly onChange: (change: Partial<SearchState>) => void };

/** What a search found, how each way of searching fared, and how new what was searched is. */
export function SearchAnswerView({ state, onChange }: SearchAnswerViewProps) {
  const search = useInfiniteQuery(searchQuery(state));
  const [explain, setExplain] = useShownAtOnce(state.explain ?? "", (next) => onChange({ explain: next === "" ? undefined : next }));
  const first = search.data?.pages[0];
  const last = search.data?.pages.at(-1);
  if (first === undefined || last === undefined) {
    return <NoAnswer list={search} rowHeight={90} />;
  }
  const results = search.data?.pages.flatMap((page) => page.results) ?? [];
  const failed = search.isPlaceholderData ? null : search.isFetchNextPageError ? null : search.error;
  return (
    <>
      <div className={classes.summary}>
        <Text fz="sm" c="dimmed" role="status">
          {countOf(results.length, first)} in {formatDuration(first.ms)}
        </Text>
        {search.isPlaceholderData && <Loader size={14} aria-label="Searching" />}
        <SearchedIndexes index={first.index} />
        <ReadAs query={first.query} onRemove={(filter) => onChange(withoutReadFilter(state, filter))} />
        <div className={classes.legs}>
          <LegStates answer={first} />
          <Switch
            size="xs"
            label="Explain"
            checked={isOn(explain)}
            onChange={(event) => setExplain(event.currentTarget.checked ? "true" : "")}
          />
        </div>
      </div>
      <AnswerNotes
        partial={first.partial ? "The search stopped early, so some results may be missing." : undefined}
        notes={first.notes}
        error={failed}
      />
      <ExactLines state={state} query={first.query} onChange={onChange} />
      {results.length === 0 ? (
        <EmptyPanel
          icon={<IconZoomExclamation />}
          title="Nothing found"
          description={<NothingFound state={state} filtered={first.query.filters.length > 0} onChange={onChange} />}
        />
      ) : (
        <div className={classes.columns}>
          <Facets state={state} answer={first} onChange={onChange} />
          <div className={classes.found}>
            <SearchResults results={results} searched={first.legs} ofBranch={first.query.filters.some(({ field }) => field === "ref")} />
            <LoadMore list={search} endOfResults="No more results." />
          </div>
        </div>
      )}
    </>
  );
}

function countOf(shown: number, { ranked: { places, capped } }: SearchAnswer): string {
  const all = capped ? `the best ${plural(places, "result", "results")}` : plural(places, "result", "results");
  return shown < places || capped ? `Showing ${formatCount(shown)} of ${all}` : all;
}

type Understood = SearchAnswer["query"];

const SHAPES: Readonly<Record<Understood["shape"], string>> = {
  symbol: "an identifier",
  path: "a path",
  literal: "a piece of code",
  error: "an error message",
  natural: "a question",
  mixed: "words and code",
  report: "a report",
};

const FIELDS: Readonly<Record<ReadFilter["field"], string>> = {
  repo: "repository",
  ref: "branch",
  path: "path",
  lang: "language",
  symbol: "defines",
};

/** How the query was understood: what is searched, and each filter and condition with a way to drop the filter. */
function ReadAs({ query, onRemove }: { readonly query: Understood; readonly onRemove: (filter: ReadFilter) => void }) {
  const { shape, text, filters, conditions, alternatives, case_sensitive: exactCase } = query;
  return (
    <ul className={classes.parts} aria-label="How the query was read">
      {text !== "" && <li className={classes.plain}>Interpreted as {SHAPES[shape]}</li>}
      {filters.map((filter) => {
        const { field, value, negated } = filter;
        return (
          <li key={`${negated} ${field} ${value}`} className={classes.chip} data-negated={negated || undefined}>
            <span className={classes.name}>
              {negated && "not "}
              {FIELDS[field]}
            </span>
            {value}
            <CloseButton
              size={16}
              aria-label={`Drop the filter ${negated ? "not " : ""}${field}: ${value}`}
              onClick={() => onRemove(filter)}
            />
          </li>
        );
      })}
      {conditions.map(({ kind, value, negated, alternative }) => (
        <li key={`${alternative} ${kind} ${negated} ${value}`} className={classes.chip} data-negated={negated || undefined}>
          <span className={classes.name}>
            {negated ? "without" : "with"}
            {alternatives > 1 && ` (${alternative + 1})`}
          </span>
          {kind === "regex" ? `/${value}/` : value}
        </li>
      ))}
      {alternatives > 1 && <li className={classes.plain}>any of {alternatives} alternatives</li>}
      {exactCase && <li className={classes.plain}>case matters</li>}
    </ul>
  );
}
