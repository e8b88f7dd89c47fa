import { QueryHelp } from "#ui/query/query-help.tsx";

const LINES: readonly { readonly example: string; readonly means: string }[] = [
  { example: "how are failed jobs retried", means: "a question: by meaning and by its words" },
  { example: "parseConfig", means: "a name: where it is defined, then its uses" },
  { example: '"connection refused"', means: "must be there, letter for letter" },
  { example: "/retry(Count|Limit)/", means: "must match a regular expression (RE2)" },
  { example: "-deprecated", means: "must not be there" },
  { example: "timeout OR deadline", means: "either of the two" },
  { example: "repo:acme/shop", means: "in repositories of that name" },
  { example: "path:src/**/*.ts", means: "in files at that path; -path: leaves them out" },
  { example: "lang:go", means: "in a language; -lang: leaves it out" },
  { example: "ref:release", means: "on a branch other than the default one" },
  { example: "symbol:Cart", means: "where that name is defined" },
  { example: "case:yes", means: "with letters cased as they are written" },
];

export function CodeQueryHelp({ onTake }: { readonly onTake: (example: string) => void }) {
  return (
    <QueryHelp sections={[{ lines: LINES }]} onTake={onTake}>
      A click adds an example to the query. What reads like a filter but is none is searched as text.
    </QueryHelp>
  );
}
