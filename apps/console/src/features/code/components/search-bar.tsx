import { Kbd, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { LANGUAGES } from "#features/code/languages.ts";
import classes from "./search-bar.module.css";

const PAUSE_MS = 180;

export type SearchState = { readonly q: string | undefined; readonly repo: string | undefined; readonly lang: string | undefined };

/** What is searched, as the URL has it; typing changes the URL after a short pause. */
export function SearchBar({
  state,
  repositories,
  onChange,
  onEnterResults,
}: {
  readonly state: SearchState;
  readonly repositories: readonly string[];
  readonly onChange: (state: SearchState) => void;
  /** The arrow down key was pressed in the field. */
  readonly onEnterResults: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useTyped(state.q ?? "", (q) => onChange({ ...state, q }));
  useHotkeys([["/", () => field.current?.focus()]]);

  function move(event: KeyboardEvent): void {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      onEnterResults();
    }
  }

  return (
    <search className={classes.bar}>
      <TextInput
        ref={field}
        className={classes.text}
        size="md"
        type="search"
        aria-label="Search code"
        placeholder="A question, a name, a piece of code"
        leftSection={<IconSearch size={18} />}
        rightSection={text === "" ? <Kbd size="xs">/</Kbd> : null}
        autoFocus
        autoCapitalize="off"
        spellCheck={false}
        maxLength={10_000}
        value={text}
        onKeyDown={move}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Select
        className={classes.filter}
        size="md"
        aria-label="Repository"
        placeholder="All repositories"
        data={[...repositories]}
        value={state.repo ?? null}
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Search all repositories" }}
        onChange={(repo) => onChange({ ...state, repo: repo ?? undefined })}
      />
      <Select
        className={classes.filter}
        size="md"
        aria-label="Language"
        placeholder="All languages"
        data={[...LANGUAGES]}
        value={state.lang ?? null}
        searchable
        clearable
        clearButtonProps={{ "aria-label": "Search all languages" }}
        onChange={(lang) => onChange({ ...state, lang: lang ?? undefined })}
      />
    </search>
  );
}

/** A text that is free to type and reports itself after a pause; it follows when what it reports to changes elsewhere. */
function useTyped(value: string, onSettle: (text: string) => void): readonly [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [reported, setReported] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== reported) {
      setReported(value);
      setText(value);
    }
  }
  const settle = useDebouncedCallback((typed: string) => {
    setReported(typed.trim());
    onSettle(typed.trim());
  }, PAUSE_MS);
  return [
    text,
    (typed) => {
      setText(typed);
      settle(typed);
    },
  ];
}
