import { ActionIcon, SegmentedControl, Tooltip } from "@mantine/core";
import { IconLetterCase, IconRegex } from "@tabler/icons-react";
import { useMemo } from "react";
import { LANGUAGES } from "#features/code/query/languages.ts";
import { type SearchState, isGrep, isOn } from "#features/code/query/search-state.ts";
import { QueryField } from "#features/code/query/query-field.tsx";
import { CodeQueryHelp } from "#features/code/query/query-help.tsx";
import { SearchFilters, type SearchedRepository } from "./search-filters.tsx";
import classes from "./search-bar.module.css";

/** What is searched, as the address has it; typing changes the address after a short pause. */
export function SearchBar({
  state,
  repositories,
  onChange,
  onEnterResults,
}: {
  readonly state: SearchState;
  readonly repositories: readonly SearchedRepository[];
  readonly onChange: (change: Partial<SearchState>) => void;
  readonly onEnterResults: () => void;
}) {
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
            placeholder={isOn(state.regex) ? "A regular expression (RE2), line by line" : "A piece of text, letter for letter"}
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
      </div>
      <SearchFilters state={state} repositories={repositories} onChange={onChange} />
    </search>
  );
}

function Toggle({
  label,
  on,
  onToggle,
  icon,
}: {
  readonly label: string;
  readonly on: boolean;
  readonly onToggle: (on: boolean) => void;
  readonly icon: React.ReactNode;
}) {
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
