import { CloseButton } from "@mantine/core";
import type { SearchAnswer } from "@sightline/code-index/contract";
import type { ReadFilter } from "./read-filter.ts";
import classes from "./read-as.module.css";

type Understood = SearchAnswer["query"];

const SHAPES: Readonly<Record<Understood["shape"], string>> = {
  symbol: "a name",
  path: "a path",
  literal: "a piece of code",
  error: "an error message",
  natural: "a question",
  mixed: "words and code",
};

const FIELDS: Readonly<Record<ReadFilter["field"], string>> = {
  repo: "repository",
  ref: "branch",
  path: "path",
  lang: "language",
  symbol: "defines",
};

/** How the query was understood: what is searched, and each filter and condition with a way to drop the filter. */
export function ReadAs({ query, onRemove }: { readonly query: Understood; readonly onRemove: (filter: ReadFilter) => void }) {
  const { shape, text, filters, conditions, alternatives, case_sensitive: exactCase } = query;
  return (
    <ul className={classes.parts} aria-label="How the query was read">
      {text !== "" && <li className={classes.plain}>Read as {SHAPES[shape]}</li>}
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
