import { TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconSearch } from "@tabler/icons-react";
import { IconButton } from "#ui/kit/icon-button.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import classes from "./json-view.module.css";
import type { JsonSearch } from "./use-json-search.ts";

type JsonSearchFieldProps = {
  readonly label: string;
  readonly search: JsonSearch;
  /** Whether nothing is selected yet, so that enter leads to the first match. */
  readonly isAtRoot: boolean;
};

/** Searches within a value: enter leads to the next match, with shift to the one before. */
export function JsonSearchField({ label, search, isAtRoot }: JsonSearchFieldProps) {
  const { typed, setTyped, words, matches, isCut, match, goTo } = search;
  return (
    <>
      <TextInput
        size="xs"
        className={classes.search}
        aria-label={`Search in ${label}`}
        placeholder="Search"
        leftSection={<IconSearch size={14} />}
        {...typedInto(typed, setTyped)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            goTo(isAtRoot ? 0 : match + (event.shiftKey ? -1 : 1));
          }
        }}
      />
      {words !== "" && (
        <span className={classes.count} role="status">
          {matches === 0 ? "nothing" : `${match + 1} of ${matches}${isCut ? "+" : ""}`}
        </span>
      )}
      <IconButton label="Previous match" disabled={matches === 0} onClick={() => goTo(match - 1)}>
        <IconArrowUp size={15} />
      </IconButton>
      <IconButton label="Next match" disabled={matches === 0} onClick={() => goTo(match + 1)}>
        <IconArrowDown size={15} />
      </IconButton>
    </>
  );
}
