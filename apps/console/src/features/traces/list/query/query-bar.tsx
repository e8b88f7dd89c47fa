import classes from "./query-bar.module.css";
import { Combobox, Kbd, TextInput, useCombobox } from "@mantine/core";
import { useHotkeys, useDebouncedValue } from "@mantine/hooks";
import { type TraceQueryError, parseTraceQuery, type FacetField, facetFieldSchema } from "@sightline/observability/contract";
import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { type QueryOption, complete, type QueryPlace, optionsAt, placeAt, withoutTermAt } from "./query-completion.ts";
import { QueryMarks } from "./query-marks.tsx";
import { useTypedQuery } from "./use-typed-query.ts";
import { useSingleKeys } from "#ui/keys/single-keys.ts";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { facetsQuery } from "#features/traces/api/list-traces.ts";
import { isReadable } from "#features/traces/list/list-state.ts";

const PAUSE_MS = 120;
const NO_VALUES: readonly { readonly value: string; readonly count: number }[] = [];

/** What the text may become at the caret; asks the API for the values of a field. Nothing without a caret. */
function useOptions(
  projectId: string,
  text: string,
  caret: number | undefined,
): { readonly place: QueryPlace | undefined; readonly options: readonly QueryOption[] } {
  const place = caret === undefined ? undefined : placeAt(text, caret);
  const field = place?.kind === "value" ? facetFieldSchema.safeParse(place.field.name).data : undefined;
  const [prefix] = useDebouncedValue(place?.begun ?? "", PAUSE_MS);
  const values = useFacets(projectId, field, prefix, place === undefined ? "" : withoutTermAt(text, place));
  return { place, options: place === undefined ? [] : optionsAt(place, values) };
}

function useFacets(projectId: string, field: FacetField | undefined, prefix: string, q: string) {
  const api = useApi();
  const options = facetsQuery(api, projectId, { field: field ?? "name", prefix, q: isReadable(q) ? q : "" });
  const facets = useQuery({
    ...options,
    queryFn: field === undefined ? skipToken : (options.queryFn ?? skipToken),
    // While more is typed the known values of the same field still fit.
    placeholderData: (previous, query) => (query?.queryKey[2] === field ? previous : undefined),
  });
  return facets.data?.items ?? NO_VALUES;
}

const NONE = -1;

/** The query of the list, completed as it is typed, with what can't be read underlined and explained. */
export function QueryBar({
  projectId,
  value,
  onChange,
  onEnterResults,
}: {
  readonly projectId: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** The arrow down key was pressed while nothing is offered. */
  readonly onEnterResults: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const combobox = useCombobox();
  const prefix = useId();
  const [scroll, setScroll] = useState(0);
  const { text, type: report, settle } = useTypedQuery(value, onChange);
  const [caret, setCaret] = useState<number>();
  const isOpen = combobox.dropdownOpened && caret !== undefined;
  const { place, options } = useOptions(projectId, text, isOpen ? caret : undefined);
  // The option that the arrow keys went to; none at first, so that enter changes nothing unasked.
  const [active, setActive] = useState(NONE);
  const errors = parseTraceQuery(text).errors.filter(({ from, to }) => !(isOpen && caret >= from && caret <= to));
  const { areOn } = useSingleKeys();
  useHotkeys(areOn ? [["/", () => field.current?.focus()]] : []);

  function offerAt(at: number | null | undefined, length: number): void {
    setCaret(at ?? length);
    setActive(NONE);
    combobox.openDropdown();
  }

  function take(option: QueryOption | undefined): void {
    if (place === undefined || option === undefined) {
      return;
    }
    const completed = complete(text, place, option);
    report(completed.text);
    offerAt(completed.caret, completed.text.length);
    field.current?.focus();
    // React puts the caret at the end of a text that it changed.
    requestAnimationFrame(() => field.current?.setSelectionRange(completed.caret, completed.caret));
  }

  function press(event: KeyboardEvent): void {
    const isOffered = options.length > 0;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        event.preventDefault();
        if (isOffered) {
          const step = event.key === "ArrowDown" ? 1 : active === NONE ? 0 : -1;
          setActive((active + step + options.length) % options.length);
        } else if (event.key === "ArrowDown" && event.altKey) {
          offerAt(field.current?.selectionStart, text.length);
        } else if (event.key === "ArrowDown") {
          settle();
          onEnterResults();
        }
        break;
      case "Tab":
        if (isOffered && !event.shiftKey) {
          event.preventDefault();
          take(options[active] ?? options[0]);
        }
        break;
      case "Enter":
        event.preventDefault();
        if (options[active] === undefined) {
          combobox.closeDropdown();
          settle();
        } else {
          take(options[active]);
        }
        break;
      case "Escape":
        combobox.closeDropdown();
        break;
      default:
    }
  }

  const layered = (input: ReactNode) => (
    <div className={classes.layers}>
      <QueryMarks text={text} errors={errors} scroll={scroll} />
      {input}
    </div>
  );
  return (
    <div className={classes.bar}>
      <Combobox
        store={combobox}
        position="bottom-start"
        withinPortal={false}
        onOptionSubmit={(chosen) => take(options.find(({ text: option }) => option === chosen))}
      >
        <Combobox.Target
          withKeyboardNavigation={false}
          withExpandedAttribute
          aria-expanded={options.length > 0}
          aria-activedescendant={options[active] === undefined ? undefined : `${prefix}${active}`}
        >
          <TextInput
            ref={field}
            size="md"
            aria-label="Query of the traces"
            placeholder="status:failure duration:>5s user:… or any words"
            leftSection={<IconSearch size={18} />}
            rightSection={text === "" ? <Kbd size="xs">/</Kbd> : null}
            classNames={{ input: classes.input ?? "", wrapper: classes.wrapper ?? "" }}
            inputContainer={layered}
            error={errors.length > 0}
            errorProps={{ display: "none" }}
            aria-describedby={errors.length > 0 ? `${prefix}errors` : undefined}
            autoCapitalize="off"
            autoComplete="off"
            spellCheck={false}
            maxLength={2_000}
            value={text}
            onKeyDown={press}
            onScroll={({ currentTarget }) => setScroll(currentTarget.scrollLeft)}
            onSelect={({ currentTarget }) => setScroll(currentTarget.scrollLeft)}
            onClick={({ currentTarget }) => offerAt(currentTarget.selectionStart, text.length)}
            onBlur={() => {
              combobox.closeDropdown();
              // What is clicked next works with the query as it is read here.
              settle();
            }}
            onChange={({ currentTarget }) => {
              report(currentTarget.value);
              offerAt(currentTarget.selectionStart, currentTarget.value.length);
            }}
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={options.length === 0} className={classes.dropdown}>
          <Combobox.Options aria-label="What fits here">
            {options.map(({ text: option, explains }, index) => (
              <Combobox.Option
                key={option}
                id={`${prefix}${index}`}
                value={option}
                selected={index === active}
                aria-selected={index === active}
              >
                <span className={classes.option}>{option}</span>
                {explains !== "" && <span className={classes.explains}>{explains}</span>}
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      <div id={`${prefix}errors`} className={classes.errors} role="status">
        {errors.map((error) => (
          <Problem key={error.from} error={error} text={text} />
        ))}
      </div>
    </div>
  );
}

function Problem({ error: { from, to, message }, text }: { readonly error: TraceQueryError; readonly text: string }) {
  return (
    <div>
      <code className={classes.wrong}>{text.slice(from, to)}</code> {message}
    </div>
  );
}
