import { UnstyledButton } from "@mantine/core";
import type { SearchAnswer, SearchResult } from "@sightline/code-index/contract";
import { IconFile } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Fragment, useDeferredValue, useMemo, useState } from "react";
import { SafeText } from "#ui/words/safe-text.tsx";
import { cutExcerpt } from "./excerpt.ts";
import { fileLink } from "#features/code/model/file-link.ts";
import { useHighlighted } from "#features/code/highlight/use-highlighted.ts";
import { CodeLine } from "#features/code/highlight/code-line.tsx";
import { LegChips } from "./leg-chips.tsx";
import { walkResults } from "./walk-results.ts";
import classes from "./search-results.module.css";

const SHOWN_LINES = 3;
/** Other places of a file that are linked. */
const OTHERS = 4;
/** More than a screen has room for. They are there at once, and the others right after they are painted. */
const SCREEN = 8;

type Shared = {
  /** How each way of searching fared. */
  readonly searched: SearchAnswer["legs"];
  readonly ofBranch: boolean;
};

/** Files, best first, each with its best place. The arrow keys walk through them; enter opens. */
export function SearchResults({ results, ...shared }: Shared & { readonly results: readonly SearchResult[] }) {
  const count = useDeferredValue(results.length, SCREEN);
  return (
    <ol className={classes.files} id="results">
      {results.slice(0, count).map((result) => (
        <li key={`${result.repo} ${result.path}`} className={classes.file}>
          <Result result={result} {...shared} />
        </li>
      ))}
    </ol>
  );
}

function Result({ result, searched, ofBranch }: Shared & { readonly result: SearchResult }) {
  const [whole, setWhole] = useState(false);
  const others = result.also ?? [];
  const lines = useMemo(() => result.content.split("\n"), [result.content]);
  const coloured = useHighlighted(lines, result.language);
  const matches = new Map(result.matched_lines.map((line, index) => [line, result.matched_ranges[index] ?? []]));
  const first = result.matched_lines[0] ?? result.start_line;
  const end = Math.min(result.end_line, result.start_line + lines.length - 1);
  const spans = whole
    ? [{ start: result.start_line, end }]
    : cutExcerpt({ lines, start: result.start_line, end, matches, limit: SHOWN_LINES });
  const shown = spans.reduce((sum, span) => sum + span.end - span.start + 1, 0);
  return (
    <article>
      <div className={classes.head}>
        <h2 className={classes.path}>
          <IconFile size={14} aria-hidden="true" />
          <span className={classes.repo}>{result.repo}</span>
          <span>
            <SafeText text={result.path} />
          </span>
        </h2>
        <Link
          data-result
          onKeyDown={walkResults}
          className={classes.link}
          {...fileLink(first > result.start_line ? { ...result, start_line: first, end_line: first } : result, ofBranch)}
        >
          <SafeText text={result.symbol ?? `Lines ${result.start_line}–${result.end_line}`} />
        </Link>
        {result.symbol !== null && (
          <span className={classes.lines}>
            {result.start_line}–{result.end_line}
          </span>
        )}
        {others.length > 0 && (
          <span className={classes.lines}>
            also{" "}
            {others.slice(0, OTHERS).map((place, index) => (
              <Fragment key={place.start_line}>
                {index > 0 && ", "}
                <Link {...fileLink({ ...result, ...place }, ofBranch)}>
                  {place.start_line}–{place.end_line}
                </Link>
              </Fragment>
            ))}
            {others.length > OTHERS && `, ${others.length - OTHERS} more`}
          </span>
        )}
        {shown < end - result.start_line + 1 && (
          <UnstyledButton className={classes.more} onClick={() => setWhole(true)}>
            Show all {end - result.start_line + 1} lines
          </UnstyledButton>
        )}
      </div>
      {result.explain !== undefined && (
        <div className={classes.explained}>
          <LegChips legs={result.legs} searched={searched} />
          <Explanation score={result.score} explain={result.explain} />
        </div>
      )}
      <div
        className={classes.code}
        role="region"
        tabIndex={0}
        aria-label={`${result.path} in ${result.repo}, from line ${result.start_line}`}
      >
        {spans.map((span) => (
          <div key={span.start} className={classes.span}>
            {lines.slice(span.start - result.start_line, span.end - result.start_line + 1).map((text, index) => {
              const line = span.start + index;
              return (
                <div key={line} className={classes.line}>
                  <span className={classes.number}>{line}</span>
                  <span className={classes.text}>
                    <CodeLine text={text} tokens={coloured[line - result.start_line]} ranges={matches.get(line)} />
                  </span>
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </article>
  );
}

type Explain = NonNullable<SearchResult["explain"]>;

/** The factors of a score, in words; docs/search.md says what each is. */
const FACTORS: Readonly<Record<string, string>> = {
  file: "rest of its file",
  path: "words in its path",
  names: "names it defines",
  size: "size and place",
  standing: "depth and history of its file",
  likeness: "like in meaning",
  commits: "commits that changed this file",
  query: "kind of question",
  kind: "kind of file",
  defines: "defines the name",
  mentioned: "named by the report",
  place: "the place asked for",
  verbatim: "letter for letter",
  spread: "further place of a file",
  reranker: "reranker's score",
};

/** What a result's score is made of: what the search methods' ranks make together, and each factor of the ranking. */
function Explanation({ score, explain: { fused, factors, commits_say: said } }: { readonly score: number; readonly explain: Explain }) {
  const changing = Object.entries(factors).filter(([, factor]) => factor !== 1);
  return (
    <dl className={classes.parts} aria-label="What its score is made of">
      <div className={classes.part}>
        <dt>score</dt>
        <dd>{inShort(score)}</dd>
      </div>
      <div className={classes.part} data-sign="=">
        <dt>search methods</dt>
        <dd>{inShort(fused)}</dd>
      </div>
      {changing.map(([name, factor]) => (
        <div key={name} className={classes.part} data-sign="×" data-tone={factor > 1 ? "up" : "down"}>
          <dt>
            {FACTORS[name] ?? name}
            {name === "commits" && said.length > 0 && ` say: ${said.join(", ")}`}
          </dt>
          <dd>{inShort(factor)}</dd>
        </div>
      ))}
    </dl>
  );
}

function inShort(figure: number): string {
  return String(Number(figure.toPrecision(3)));
}
