import { UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { Facet, SearchAnswer } from "@sightline/code-index/contract";
import type { FilterName, SearchState } from "#features/code/query/search-state.ts";
import { formatCount, plural } from "#ui/words/format.ts";
import classes from "./facets.module.css";

type Group = { readonly name: Exclude<FilterName, "ref">; readonly label: string; readonly filterOf: (value: string) => string };

const same = (value: string) => value;
const GROUPS: readonly Group[] = [
  { name: "repo", label: "Repository", filterOf: same },
  { name: "lang", label: "Language", filterOf: same },
  // A slash in front: from the path's beginning on.
  { name: "path", label: "Folder", filterOf: (value) => `/${value}` },
  { name: "kind", label: "Kind of file", filterOf: same },
];

const KINDS: Readonly<Record<string, string>> = {
  source: "Source",
  test: "Tests",
  example: "Examples",
  declaration: "Type declarations",
  document: "Documentation",
  data: "Data and configuration",
  generated: "Generated",
  vendored: "Vendored",
};

type FacetsProps = {
  readonly state: SearchState;
  readonly answer: SearchAnswer;
  readonly onChange: (change: Partial<SearchState>) => void;
};

/** What the ranked files are of, each value with their number; a click narrows the search to it, another one widens it again. */
export function Facets({ state, answer: { facets, ranked }, onChange }: FacetsProps) {
  const isWide = useMediaQuery("(min-width: 62em)", true, { getInitialValueInEffect: false });
  const groups = GROUPS.map((group) => ({ ...group, facet: withChosen(facets[group.name], group, state) })).filter(
    // One value of all narrows nothing.
    ({ name, facet }) => facet.length > 1 || state[name] !== undefined,
  );
  if (groups.length === 0) {
    return isWide ? <div /> : null;
  }
  return (
    <details className={classes.facets} open={isWide}>
      <summary className={classes.summary}>Narrow the results</summary>
      <nav aria-label="Narrow the results">
        {groups.map(({ name, label, filterOf, facet }) => (
          <section key={name} className={classes.group} aria-label={label}>
            <h2 className={classes.label}>{label}</h2>
            <ul className={classes.values}>
              {facet.map(({ value, count }) => {
                const filter = filterOf(value);
                const chosen = state[name] === filter;
                return (
                  <li key={value}>
                    <UnstyledButton
                      className={classes.value}
                      aria-pressed={chosen}
                      title={value}
                      onClick={() => onChange({ [name]: chosen ? undefined : filter })}
                    >
                      <span className={classes.name}>{name === "kind" ? KINDS[value] : value}</span>
                      <span className={classes.count}>{formatCount(count)}</span>
                    </UnstyledButton>
                  </li>
                );
              })}
            </ul>
          </section>
        ))}
        <p className={classes.note}>
          Counted over {ranked.capped ? "the best " : ""}
          {plural(ranked.places, "ranked file", "ranked files")}
          {ranked.capped && "; there may be more"}.{state.kind !== undefined && " Kinds are counted before one was chosen."}
        </p>
      </nav>
    </details>
  );
}

/** What was chosen is there to be given up, also when no place is of it. */
function withChosen(facet: Facet, { name, filterOf }: Group, state: SearchState): Facet {
  const chosen = state[name];
  return chosen === undefined || facet.some(({ value }) => filterOf(value) === chosen) || name === "path"
    ? facet
    : [{ value: chosen, count: 0 }, ...facet];
}
