import { useDebouncedValue } from "@mantine/hooks";
import { type TraceQueryError, hasTraceFacets, parseTraceQuery } from "@sightline/observability/contract";
import { type ReactNode, useId, useState } from "react";
import { complete, isNamingField, optionsAt, placeAt, withoutTermAt } from "./query-completion.ts";
import { CompletingField, useCompleting } from "#ui/query/completing-field.tsx";
import { useTyped } from "#ui/query/use-typed.ts";
import { useQuery } from "@tanstack/react-query";
import { facetsQuery } from "#features/traces/api/list-traces.ts";
import { isReadable } from "#features/traces/list/model/list-state.ts";
import classes from "./query-bar.module.css";

const TYPING_PAUSE_MS = 250;
const FACETS_PAUSE_MS = 120;

/** What the text may become at the caret; asks the API for the values of a field. Nothing without a caret. */
function useOptions(projectId: string, text: string, caret: number | undefined) {
  const place = caret === undefined ? undefined : placeAt(text, caret);
  const field = place?.kind === "value" && hasTraceFacets(place.name) ? place.name : undefined;
  const [prefix] = useDebouncedValue(place?.begun ?? "", FACETS_PAUSE_MS);
  const q = place === undefined ? "" : withoutTermAt(text, place);
  const facets = useQuery({
    ...facetsQuery(projectId, { field: field ?? "name", prefix, q: isReadable(q) ? q : "" }),
    enabled: field !== undefined,
    // While more is typed the known values of the same field still fit.
    placeholderData: (previous, query) => (query?.queryKey[2] === field ? previous : undefined),
  });
  return { place, options: place === undefined ? [] : optionsAt(place, facets.data?.items ?? []) };
}

type QueryBarProps = {
  readonly label?: string;
  readonly placeholder?: string;
  readonly projectId: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly onEnterResults?: () => void;
};

/** The query of the list, completed as it is typed, with what can't be read underlined and explained. */
export function QueryBar({
  label = "Query of the traces",
  placeholder = "status:failure duration:>5s user:… or any words",
  projectId,
  value,
  onChange,
  onEnterResults = () => undefined,
}: QueryBarProps) {
  const id = useId();
  const [scroll, setScroll] = useState(0);
  const completing = useCompleting();
  const { caret } = completing;
  const isUnfinished = (typed: string) => isNamingField(typed, caret ?? typed.length);
  const { text, type, settle } = useTyped(value, TYPING_PAUSE_MS, onChange, undefined, isUnfinished);
  const { place, options } = useOptions(projectId, text, caret);
  const errors = parseTraceQuery(text).errors.filter(({ from, to }) => !(caret !== undefined && caret >= from && caret <= to));

  const layered = (input: ReactNode) => (
    <div className={classes.layers}>
      <QueryMarks text={text} errors={errors} scroll={scroll} />
      {input}
    </div>
  );
  return (
    <div className={classes.bar}>
      <CompletingField
        completing={completing}
        aria-label={label}
        placeholder={placeholder}
        classNames={{ input: classes.input ?? "", wrapper: classes.wrapper ?? "" }}
        inputContainer={layered}
        error={errors.length > 0}
        errorProps={{ display: "none" }}
        aria-describedby={errors.length > 0 ? `${id}errors` : undefined}
        autoComplete="off"
        maxLength={2_000}
        onScroll={({ currentTarget }) => setScroll(currentTarget.scrollLeft)}
        onSelect={({ currentTarget }) => setScroll(currentTarget.scrollLeft)}
        text={text}
        options={options}
        optionsLabel="What fits here"
        complete={(option) => (place === undefined ? undefined : complete(text, place, option))}
        onType={type}
        onSettle={settle}
        onEnterResults={onEnterResults}
      />
      <div id={`${id}errors`} className={classes.errors} role="status">
        {errors.map(({ from, to, message }) => (
          <div key={from}>
            <code className={classes.wrong}>{text.slice(from, to)}</code> {message}
          </div>
        ))}
      </div>
    </div>
  );
}

type Mark = { readonly from: number; readonly to: number; readonly kind: "term" | "error" };

type QueryMarksProps = {
  readonly text: string;
  readonly errors: readonly TraceQueryError[];
  /** How many pixels the field has scrolled its text. */
  readonly scroll: number;
};

/** Behind a query's text: what was understood as a filter, and what can't be read. */
function QueryMarks({ text, errors, scroll }: QueryMarksProps) {
  const terms = parseTraceQuery(text).terms.flatMap(({ kind, from, to }): readonly Mark[] =>
    kind === "words" ? [] : [{ from, to, kind: "term" }],
  );
  const marks = [...terms, ...errors.map(({ from, to }): Mark => ({ from, to, kind: "error" }))].toSorted(
    (one, other) => one.from - other.from,
  );
  return (
    <div className={classes.marks} aria-hidden="true">
      <div className={classes.text} style={{ transform: `translateX(${-scroll}px)` }}>
        {marks.map(({ from, to, kind }, index) => (
          <span key={from}>
            {text.slice(marks[index - 1]?.to ?? 0, from)}
            <mark className={classes.mark} data-kind={kind}>
              {text.slice(from, to)}
            </mark>
          </span>
        ))}
      </div>
    </div>
  );
}
