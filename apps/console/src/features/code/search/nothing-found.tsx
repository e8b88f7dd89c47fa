import { Anchor } from "@mantine/core";
import { NO_FILTERS, type SearchState, hasFilter, isGrep, isOn } from "#features/code/query/search-state.ts";

type NothingFoundProps = {
  readonly state: SearchState;
  /** The query's own text has filters as well. */
  readonly filtered: boolean;
  readonly onChange: (change: Partial<SearchState>) => void;
};

/** What to try next. */
export function NothingFound({ state, filtered, onChange }: NothingFoundProps) {
  const grep = isGrep(state);
  return (
    <>
      {grep
        ? isOn(state.regex)
          ? "No line matches this expression. "
          : "No line contains this exact text. "
        : "Try other words, or a name as it is written in the code. "}
      {grep && isOn(state.case) && <Act onClick={() => onChange({ case: undefined })}>Ignore the case.</Act>}{" "}
      {hasFilter(state) && <Act onClick={() => onChange(NO_FILTERS)}>Clear the filters.</Act>}{" "}
      {!hasFilter(state) && filtered && "The filters may be too narrow. "}
      {grep ? (
        <Act onClick={() => onChange({ mode: undefined })}>Search for it by meaning.</Act>
      ) : (
        <Act onClick={() => onChange({ mode: "grep" })}>Search for the exact text.</Act>
      )}
    </>
  );
}

function Act({ onClick, children }: { readonly onClick: () => void; readonly children: string }) {
  return (
    <Anchor component="button" type="button" fz="inherit" td="underline" onClick={onClick}>
      {children}
    </Anchor>
  );
}
