import { Button, Text } from "@mantine/core";
import { grepAnswerSchema, type SearchAnswer } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import type { SearchState } from "#features/code/query/search-state.ts";
import { codeIndex } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";
import { plural } from "#ui/words/format.ts";
import classes from "./answer.module.css";

type ExactLinesProps = {
  readonly state: SearchState;
  readonly query: SearchAnswer["query"];
  readonly onChange: (change: Partial<SearchState>) => void;
};

/** How many lines hold a name or a piece of code exactly as it was typed: ranked results alone do not tell. */
export function ExactLines({ state, query, onChange }: ExactLinesProps) {
  const pattern = query.text;
  const isExact = (query.shape === "symbol" || query.shape === "literal") && pattern !== "" && canBeGrepped(query);
  const filters = { repo: state.repo, path: state.path, lang: state.lang, ref: state.ref, ...typedFilters(query) };
  const asked = { pattern, ...filters, case: "sensitive", limit: 1 };
  const lines = useQuery({
    queryKey: ["exact lines", asked],
    queryFn: answerTo(codeIndex.get("/api/v1/grep", { query: asked, answer: grepAnswerSchema })),
    enabled: isExact,
    staleTime: 30_000,
  });
  if (!isExact || lines.data === undefined || (lines.data.total === null && lines.data.matches === 0)) {
    return null;
  }
  const { total } = lines.data;
  return (
    <p className={classes.exact}>
      {total === 0 ? (
        <Text span fz="sm">
          No line contains <code>{pattern}</code> exactly. The results below are related.
        </Text>
      ) : (
        <>
          <Text span fz="sm">
            <b>{total === null ? "Many lines contain" : plural(total, "line contains", "lines contain")}</b> <code>{pattern}</code> exactly.
          </Text>
          <Button
            size="compact-xs"
            variant="light"
            onClick={() => onChange({ mode: "grep", q: pattern, case: "true", regex: undefined, kind: undefined, ...filters })}
          >
            Show all
          </Button>
        </>
      )}
    </p>
  );
}

/** Searching by lines knows one value of each filter, and no conditions. */
function canBeGrepped({ filters, conditions, alternatives }: SearchAnswer["query"]): boolean {
  const fields = filters.map(({ field }) => field);
  return (
    conditions.length === 0 &&
    alternatives <= 1 &&
    filters.every(({ field, negated }) => !negated && field !== "symbol") &&
    new Set(fields).size === fields.length
  );
}

function typedFilters({ filters }: SearchAnswer["query"]): Partial<Pick<SearchState, "repo" | "path" | "lang" | "ref">> {
  return Object.fromEntries(filters.map(({ field, value }) => [field, value]));
}
