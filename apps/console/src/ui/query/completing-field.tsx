import { Combobox, Kbd, TextInput, type TextInputProps, useCombobox } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useSingleKeys } from "#ui/keys/single-keys.ts";
import classes from "./completing-field.module.css";

const NONE = -1;

type Option = { readonly text: string; readonly explains: string };

/** Where in a completing field one types; `caret` is undefined while nothing is to be offered. */
export function useCompleting() {
  const combobox = useCombobox();
  const field = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState<number>();
  // The option that the arrow keys went to; none at first, so that enter changes nothing unasked.
  const [active, setActive] = useState(NONE);
  return {
    combobox,
    field,
    active,
    setActive,
    caret: combobox.dropdownOpened ? caret : undefined,
    offerAt: (at: number) => {
      setCaret(at);
      setActive(NONE);
      combobox.openDropdown();
    },
  };
}

/** The field of a query, which is completed as it is typed. The key / leads to it. */
export function CompletingField<Offered extends Option>({
  completing: { combobox, field, active, setActive, offerAt },
  text,
  options,
  optionsLabel,
  complete,
  onType,
  onSettle,
  onEnterResults,
  ...input
}: Omit<TextInputProps, "value" | "onChange"> & {
  readonly completing: ReturnType<typeof useCompleting>;
  readonly text: string;
  readonly options: readonly Offered[];
  readonly optionsLabel: string;
  /** The text with an option taken over, and where the caret is then. */
  readonly complete: (option: Offered) => { readonly text: string; readonly caret: number } | undefined;
  readonly onType: (text: string) => void;
  /** For a field that offers where it is clicked, and whose enter key, or the way out of it, settles the text: Tab takes an option over. */
  readonly onSettle?: () => void;
  /** The arrow down key was pressed while nothing is offered. */
  readonly onEnterResults: () => void;
}) {
  const prefix = useId();
  const { areOn } = useSingleKeys();
  useHotkeys(areOn ? [["/", () => field.current?.focus()]] : []);
  const settles = onSettle !== undefined;

  function take(option: Offered | undefined): void {
    const completed = option === undefined ? undefined : complete(option);
    if (completed === undefined) {
      return;
    }
    onType(completed.text);
    offerAt(completed.caret);
    field.current?.focus();
    // React puts the caret at the end of a text that it changed.
    requestAnimationFrame(() => field.current?.setSelectionRange(completed.caret, completed.caret));
  }

  function press(event: KeyboardEvent): void {
    const isDown = event.key === "ArrowDown";
    if (isDown || event.key === "ArrowUp") {
      if (isDown || settles || options.length > 0) {
        event.preventDefault();
      }
      if (options.length > 0) {
        setActive((active + (isDown ? 1 : active === NONE ? 0 : -1) + options.length) % options.length);
      } else if (isDown && settles && event.altKey) {
        offerAt(field.current?.selectionStart ?? text.length);
      } else if (isDown) {
        onSettle?.();
        onEnterResults();
      }
    } else if (event.key === "Tab" && settles && options.length > 0 && !event.shiftKey) {
      event.preventDefault();
      take(options[active] ?? options[0]);
    } else if (event.key === "Enter" && (settles || options[active] !== undefined)) {
      event.preventDefault();
      if (options[active] === undefined) {
        combobox.closeDropdown();
        onSettle?.();
      } else {
        take(options[active]);
      }
    } else if (event.key === "Escape") {
      combobox.closeDropdown();
    }
  }

  return (
    <Combobox
      store={combobox}
      position="bottom-start"
      withinPortal={false}
      onOptionSubmit={(chosen) => take(options.find((option) => option.text === chosen))}
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
          leftSection={<IconSearch size={18} />}
          rightSection={
            text === "" ? (
              <Kbd size="xs" className={classes.key ?? ""}>
                /
              </Kbd>
            ) : null
          }
          autoCapitalize="off"
          spellCheck={false}
          {...input}
          value={text}
          onKeyDown={press}
          {...(settles ? { onClick: ({ currentTarget }) => offerAt(currentTarget.selectionStart ?? text.length) } : {})}
          onBlur={() => {
            combobox.closeDropdown();
            // What is clicked next works with the query as it is read here.
            onSettle?.();
          }}
          onChange={({ currentTarget }) => {
            onType(currentTarget.value);
            offerAt(currentTarget.selectionStart ?? currentTarget.value.length);
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={options.length === 0} className={classes.dropdown ?? ""} data-tall={settles || undefined}>
        <Combobox.Options aria-label={optionsLabel}>
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
  );
}
