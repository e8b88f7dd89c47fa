import { ActionIcon, SegmentedControl, Tooltip } from "@mantine/core";
import { IconLetterCase, IconRegex } from "@tabler/icons-react";
import { useMemo, type ReactNode } from "react";
import { LANGUAGES } from "#features/code/highlight/languages.ts";
import { type SearchState, isGrep, isOn } from "#features/code/query/search-state.ts";
import { SearchFilters, type SearchedRepository } from "./search-filters.tsx";
import { CompletingField, useCompleting } from "#ui/query/completing-field.tsx";
import { useTyped } from "#ui/query/use-typed.ts";
import { type Completable, type Completion, completionAt } from "#features/code/query/query-language.ts";
import { QueryHelp } from "#ui/query/query-help.tsx";
import classes from "./search-bar.module.css";

type SearchBarProps = {
  readonly state: SearchState;
  readonly repositories: readonly SearchedRepository[];
  readonly onChange: (change: Partial<SearchState>) => void;
  readonly onEnterResults: () => void;
  /** What else can be done with the search. */
  readonly children?: ReactNode;
};

/** What is searched, as the address has it; typing changes the address after a short pause. */
export function SearchBar({ state, repositories, onChange, onEnterResults, children }: SearchBarProps) {
  const completable = useMemo(
    () => ({
      repo: repositories.map(({ full_name: name }) => name),
      lang: LANGUAGES,
      ref: [...new Set(repositories.flatMap(({ refs }) => refs.map(({ name }) => name)))],
    }),
    [repositories],
  );
  const grep = isGrep(state);
  const value = state.q ?? "";
  const type = (q: string) => onChange({ q: q.trim() === "" ? undefined : q });
  return (
    <search className={classes.bar}>
      <div className={classes.row}>
        <SegmentedControl
          size="sm"
          aria-label="How to look"
          className={classes.modes ?? ""}
          data={[
            { value: "search", label: "Search" },
            { value: "grep", label: "Grep" },
          ]}
          value={grep ? "grep" : "search"}
          onChange={(mode) => onChange({ mode: mode === "grep" ? mode : undefined })}
        />
        {grep ? (
          <QueryField
            key="grep"
            label="Find in all lines"
            placeholder={isOn(state.regex) ? "A regular expression (RE2), line by line" : "Exact text, line by line"}
            value={value}
            tools={
              <div className={classes.tools}>
                <Toggle
                  label="Match case"
                  on={isOn(state.case)}
                  onToggle={(on) => onChange({ case: on ? "true" : undefined })}
                  icon={<IconLetterCase size={17} />}
                />
                <Toggle
                  label="Regular expression"
                  on={isOn(state.regex)}
                  onToggle={(on) => onChange({ regex: on ? "true" : undefined })}
                  icon={<IconRegex size={17} />}
                />
              </div>
            }
            onChange={type}
            onEnterResults={onEnterResults}
          />
        ) : (
          <>
            <QueryField
              key="search"
              label="Search code"
              placeholder="A question, a name, a piece of code"
              value={value}
              completable={completable}
              onChange={type}
              onEnterResults={onEnterResults}
            />
            <CodeQueryHelp onTake={(example) => onChange({ q: value === "" ? example : `${value.trim()} ${example}` })} />
          </>
        )}
        {children}
      </div>
      <SearchFilters state={state} repositories={repositories} onChange={onChange} />
    </search>
  );
}

type ToggleProps = {
  readonly label: string;
  readonly on: boolean;
  readonly onToggle: (on: boolean) => void;
  readonly icon: React.ReactNode;
};

function Toggle({ label, on, onToggle, icon }: ToggleProps) {
  return (
    <Tooltip label={label} withinPortal={false}>
      <ActionIcon
        size={28}
        variant={on ? "light" : "subtle"}
        color={on ? "iris" : "gray"}
        aria-label={label}
        aria-pressed={on}
        onClick={() => onToggle(!on)}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

const PAUSE_MS = 180;
const NOTHING: Completable = {};

type QueryFieldProps = {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  /** The values of filters that are known; without it nothing is completed. */
  readonly completable?: Completable | undefined;
  /** What stands inside of the field on its right. */
  readonly tools?: ReactNode;
  readonly onChange: (text: string) => void;
  /** The arrow down key was pressed while nothing is offered. */
  readonly onEnterResults: () => void;
};

/** The field of a search; filters are completed as they are typed. */
function QueryField({ label, placeholder, value, completable = NOTHING, tools, onChange, onEnterResults }: QueryFieldProps) {
  const completing = useCompleting();
  const { text, type } = useTyped(value, PAUSE_MS, onChange);
  const { caret } = completing;
  const completion = caret === undefined || completable === NOTHING ? undefined : completionAt(text, caret, completable);

  function complete(option: Completion["options"][number]) {
    if (completion === undefined) {
      return undefined;
    }
    const before = text.slice(0, completion.start) + option.text;
    return { text: before + text.slice(completion.end).trimStart(), caret: before.length };
  }

  return (
    <CompletingField
      completing={completing}
      className={classes.field}
      aria-label={label}
      placeholder={placeholder}
      {...(tools === undefined ? {} : { rightSection: tools, rightSectionWidth: "auto" })}
      autoFocus
      maxLength={10_000}
      text={text}
      options={completion?.options ?? []}
      optionsLabel="Filters that fit"
      complete={complete}
      onType={type}
      onEnterResults={onEnterResults}
    />
  );
}

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

function CodeQueryHelp({ onTake }: { readonly onTake: (example: string) => void }) {
  return (
    <QueryHelp sections={[{ lines: LINES }]} onTake={onTake}>
      Click an example to add it to the query. Unknown filters are searched as text.
    </QueryHelp>
  );
}
