import { Button, Code } from "@mantine/core";
import { IconGitBranch, IconListSearch, IconSearch } from "@tabler/icons-react";
import type { SavedSearches } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";
import { useMe } from "#features/auth/api/me.ts";
import { fromSavedQuery, isSame, toSearchKey, remember, toKeptSearch, toSavedQuery } from "#features/code/query/kept-searches.ts";
import { useKeptSearches } from "#features/code/search/use-kept-searches.ts";
import { savedSearchesQuery } from "#features/code/api/saved-searches.ts";
import { GrepAnswerView } from "#features/code/search/grep-answer.tsx";
import { searchQuery } from "#features/code/api/search.ts";
import { SearchAnswerView } from "#features/code/search/search-answer.tsx";
import { KeptSearchesView } from "#features/code/search/kept-searches.tsx";
import { SaveButton, WatchButton } from "#features/code/search/saved-search-buttons.tsx";
import { SearchBar } from "#features/code/search/search-bar.tsx";
import { focusFirstResult } from "#features/code/search/walk-results.ts";
import { type SearchState, isGrep } from "#features/code/query/search-state.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import type { Prefetch } from "#shell/first-data.ts";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

/** Milliseconds after which a search is one of the recent ones. */
const REST_MS = 2_500;

const NONE_SAVED: SavedSearches = { items: [], mail: false };

const route = getRouteApi("/signed-in/code");

export const prefetch: Prefetch = ({ queries, search }) => {
  void queries.prefetchQuery(repositoriesQuery);
  void queries.prefetchQuery(savedSearchesQuery);
  if (search["q"]?.trim() && !isGrep({ mode: search["mode"] })) {
    void queries.prefetchInfiniteQuery(searchQuery(search));
  }
};

export function CodePage() {
  const { q, mode, repo, path, lang, ref, kind, regex, case: matchCase, explain } = route.useSearch();
  const state: SearchState = { q, mode, repo, path, lang, ref, kind, regex, case: matchCase, explain };
  const navigate = route.useNavigate();
  const repositories = useQuery(repositoriesQuery);
  // What is chosen is a step that the browser leads back from; what is typed, letter by letter, is none.
  const change = (part: Partial<SearchState>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: "q" in part || "path" in part, resetScroll: false });
  const title = isGrep(state) ? "Grep" : "Search code";
  const [kept, setKept] = useKeptSearches(useMe().id);
  const search = toKeptSearch(state);
  const searchKey = search.q !== undefined && search.q !== "" ? toSearchKey(search) : undefined;
  useEffect(() => {
    // What stands so long is what was looked for, and not a word on the way to it.
    const rest = searchKey === undefined ? undefined : setTimeout(() => setKept((before) => remember(before, search)), REST_MS);
    return () => clearTimeout(rest);
    // oxlint-disable-next-line react/exhaustive-deps -- `searchKey` is all that `search` says
  }, [searchKey, setKept]);
  const { data: saved = NONE_SAVED } = useQuery(savedSearchesQuery);
  const asSaved = saved.items.find((item) => isSame(fromSavedQuery(item), fromSavedQuery(toSavedQuery(search))));
  return (
    <WidePage>
      <PageHeader title="Search code" documentTitle={q === undefined ? title : `${q.slice(0, 60)} · ${title}`} />
      <SearchBar state={state} repositories={repositories.data ?? []} onEnterResults={focusFirstResult} onChange={change}>
        {searchKey !== undefined && <SaveButton search={search} saved={asSaved} size={42} />}
        {asSaved !== undefined && <WatchButton search={asSaved} size={42} />}
      </SearchBar>
      {q === undefined || q.trim() === "" ? (
        <>
          <Start noRepository={repositories.data?.length === 0} grep={isGrep(state)} />
          <KeptSearchesView saved={saved} kept={kept} onChange={setKept} />
        </>
      ) : isGrep(state) ? (
        <GrepAnswerView state={state} onChange={change} />
      ) : (
        <SearchAnswerView state={state} onChange={change} />
      )}
    </WidePage>
  );
}

function Start({ noRepository, grep }: { readonly noRepository: boolean; readonly grep: boolean }) {
  if (noRepository) {
    return (
      <EmptyPanel
        icon={<IconGitBranch />}
        title="No code to search yet"
        description="Register a repository first; it is searchable within minutes."
      >
        <Button component={Link} to="/code/repos">
          Register a repository
        </Button>
      </EmptyPanel>
    );
  }
  return grep ? (
    <EmptyPanel
      icon={<IconListSearch />}
      title="Find every line"
      description="All lines that match exact text or a regular expression, by repository, path and line. At least three characters in a row, or a repository, keep it fast."
    />
  ) : (
    <EmptyPanel
      icon={<IconSearch />}
      title="Search your code"
      description={
        <>
          In your own words (“where are failed jobs retried”), by a name (<Code>parseLineRange</Code>), or by the text itself. Narrow it as
          you type: <Code>lang:go</Code>, <Code>path:src/</Code>, <Code>-deprecated</Code>. Arrow keys walk through the results, enter opens
          one.
        </>
      }
    />
  );
}
