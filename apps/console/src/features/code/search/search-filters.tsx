import { Select, TextInput } from "@mantine/core";
import { LANGUAGES } from "#features/code/highlight/languages.ts";
import type { FilterName, SearchState } from "#features/code/query/search-state.ts";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useTyped } from "#ui/query/use-typed.ts";
import classes from "./search-filters.module.css";

const PAUSE_MS = 180;

export type SearchedRepository = { readonly full_name: string; readonly refs: readonly { readonly name: string }[] };

type SearchFiltersProps = {
  readonly state: SearchState;
  readonly repositories: readonly SearchedRepository[];
  readonly onChange: (filters: Partial<Record<FilterName, string | undefined>>) => void;
};

/** Narrows a search; what is typed into the query itself holds beside it. */
export function SearchFilters({ state, repositories, onChange }: SearchFiltersProps) {
  const { text: path, type: setPath } = useTyped(state.path ?? "", PAUSE_MS, (typed) =>
    onChange({ path: typed.trim() === "" ? undefined : typed.trim() }),
  );
  const chosen = repositories.filter(({ full_name: name }) => state.repo === undefined || name === state.repo);
  const branches = [...new Set(chosen.flatMap(({ refs }) => refs.map(({ name }) => name)))];
  return (
    <div className={classes.filters}>
      <Select
        className={classes.wide}
        size="xs"
        aria-label="Repository"
        placeholder="All repositories"
        data={withOwn(
          repositories.map(({ full_name: name }) => name),
          state.repo,
        )}
        value={state.repo ?? null}
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Search all repositories" }}
        nothingFoundMessage="No such repository"
        onChange={(repo) => onChange({ repo: repo ?? undefined, ref: undefined })}
      />
      <TextInput
        className={classes.wide}
        size="xs"
        aria-label="Path"
        placeholder="Any path: src/, *.test.ts"
        spellCheck={false}
        autoCapitalize="off"
        maxLength={1_000}
        {...typedInto(path, setPath)}
      />
      <Select
        className={classes.narrow}
        size="xs"
        aria-label="Language"
        placeholder="All languages"
        data={withOwn(LANGUAGES, state.lang)}
        value={state.lang ?? null}
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Search all languages" }}
        nothingFoundMessage="No such language"
        onChange={(lang) => onChange({ lang: lang ?? undefined })}
      />
      {(branches.length > chosen.length || state.ref !== undefined) && (
        <Select
          className={classes.narrow}
          size="xs"
          aria-label="Branch"
          placeholder="Default branch"
          data={withOwn(branches, state.ref)}
          value={state.ref ?? null}
          searchable
          clearable
          clearButtonProps={{ "aria-label": "Search the default branches" }}
          nothingFoundMessage="No such branch is indexed"
          onChange={(ref) => onChange({ ref: ref ?? undefined })}
        />
      )}
    </div>
  );
}

/** An address may name what the list does not know. */
function withOwn(known: readonly string[], own: string | undefined): string[] {
  return own === undefined || known.includes(own) ? [...known] : [own, ...known];
}
