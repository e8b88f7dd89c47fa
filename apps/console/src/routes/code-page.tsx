import { Button, Loader, Text } from "@mantine/core";
import { IconGitBranch, IconSearch, IconZoomExclamation } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { searchQuery } from "#features/code/api/search.ts";
import { LegStates } from "#features/code/components/leg-chips.tsx";
import { SearchBar, type SearchState } from "#features/code/components/search-bar.tsx";
import { SearchResults, focusFirstResult } from "#features/code/components/search-results.tsx";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { useApi } from "#http/api-context.ts";
import { formatDuration, plural } from "#ui/format.ts";
import { EmptyPanel, ErrorState, LoadingRows } from "#ui/list-states.tsx";
import { PageHeader } from "#ui/page-header.tsx";
import { Page } from "#ui/page.tsx";
import classes from "./code-page.module.css";

const route = getRouteApi("/signed-in/code");

export function CodePage() {
  const { q, repo, lang } = route.useSearch();
  const state: SearchState = { q, repo, lang };
  const navigate = route.useNavigate();
  const repositories = useQuery(repositoriesQuery(useApi()));
  const query = state.q ?? "";
  return (
    <Page>
      <PageHeader title="Search code" documentTitle={query === "" ? "Search code" : `${query.slice(0, 60)} · Search code`} />
      <SearchBar
        state={state}
        repositories={repositories.data?.map(({ full_name: name }) => name) ?? []}
        onEnterResults={focusFirstResult}
        onChange={(search) => void navigate({ search: { ...search }, replace: true, resetScroll: false })}
      />
      {query === "" ? <Start noRepository={repositories.data?.length === 0} /> : <Answer state={state} query={query} />}
    </Page>
  );
}

function Answer({ state: { repo, lang }, query }: { readonly state: SearchState; readonly query: string }) {
  const search = useQuery(searchQuery(useApi(), { query, repo, lang }));
  if (search.error !== null && search.data === undefined) {
    return <ErrorState title="The search failed" error={search.error} onRetry={() => void search.refetch()} />;
  }
  if (search.data === undefined) {
    return (
      <div className={classes.waiting}>
        <LoadingRows rows={4} height={120} />
      </div>
    );
  }
  const { results, ms } = search.data;
  return (
    <>
      <div className={classes.summary}>
        <Text fz="sm" c="dimmed" role="status">
          {plural(results.length, "result", "results")} in {formatDuration(ms)}
        </Text>
        {search.isPlaceholderData && <Loader size={14} aria-label="Searching" />}
        <div className={classes.legs}>
          <LegStates answer={search.data} />
        </div>
      </div>
      {results.length === 0 ? (
        <EmptyPanel
          icon={<IconZoomExclamation />}
          title="Nothing found"
          description={
            repo === undefined && lang === undefined
              ? "Try other words, or a name as it is written in the code."
              : "Try it without the filters, or other words."
          }
        />
      ) : (
        <SearchResults results={results} />
      )}
    </>
  );
}

function Start({ noRepository }: { readonly noRepository: boolean }) {
  if (noRepository) {
    return (
      <EmptyPanel
        icon={<IconGitBranch />}
        title="There is no code to search yet"
        description="Register a repository first; it is searchable within minutes."
      >
        <Button component={Link} to="/code/repos">
          Register a repository
        </Button>
      </EmptyPanel>
    );
  }
  return (
    <EmptyPanel
      icon={<IconSearch />}
      title="Ask the code"
      description="In your own words (“where are failed jobs retried”), by a name (parseLineRange), or by the text itself. Arrow keys walk through the results, enter opens one."
    />
  );
}
