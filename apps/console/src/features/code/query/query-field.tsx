import { Combobox, Kbd, TextInput, useCombobox } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { type Completable, completionAt } from "./query-language.ts";
import { useTyped } from "./use-typed.ts";
import classes from "./query-field.module.css";
import { useSingleKeys } from "#ui/keys/single-keys.ts";

const NOTHING: Completable = {};
const NONE = -1;

/** The field of a search; filters are completed as they are typed. */
export function QueryField({
  label,
  placeholder,
  value,
  completable = NOTHING,
  tools,
  onChange,
  onEnterResults,
}: {
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
}) {
  const field = useRef<HTMLInputElement>(null);
  const combobox = useCombobox();
  const prefix = useId();
  const [text, setText] = useTyped(value, onChange);
  const [caret, setCaret] = useState<number>();
  const completion = caret === undefined || completable === NOTHING ? undefined : completionAt(text, caret, completable);
  const options = combobox.dropdownOpened ? (completion?.options ?? []) : [];
  // The option that the arrow keys went to; none at first, so that enter changes nothing unasked.
  const [active, setActive] = useState(NONE);
  const { areOn } = useSingleKeys();
  useHotkeys(areOn ? [["/", () => field.current?.focus()]] : []);

  function type(typed: string, at: number | null): void {
    setText(typed);
    setCaret(at ?? typed.length);
    setActive(NONE);
    combobox.openDropdown();
  }

  function complete(option: string): void {
    if (completion === undefined) {
      return;
    }
    const before = text.slice(0, completion.start) + option;
    setText(before + text.slice(completion.end).trimStart());
    setCaret(before.length);
    setActive(NONE);
    field.current?.focus();
    // React puts the caret at the end of a text that it changed.
    requestAnimationFrame(() => field.current?.setSelectionRange(before.length, before.length));
  }

  function press(event: KeyboardEvent): void {
    const chosen = options[active];
    if (event.key === "ArrowDown" && options.length === 0) {
      event.preventDefault();
      onEnterResults();
    } else if (options.length > 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      setActive((active + (event.key === "ArrowDown" ? 1 : active === NONE ? 0 : -1) + options.length) % options.length);
    } else if (event.key === "Enter" && chosen !== undefined) {
      event.preventDefault();
      complete(chosen.text);
    } else if (event.key === "Escape") {
      combobox.closeDropdown();
    }
  }

  return (
    <Combobox store={combobox} position="bottom-start" withinPortal={false} onOptionSubmit={complete}>
      <Combobox.Target
        withKeyboardNavigation={false}
        withExpandedAttribute
        aria-expanded={options.length > 0}
        aria-activedescendant={active === NONE || options.length === 0 ? undefined : `${prefix}${active}`}
      >
        <TextInput
          ref={field}
          className={classes.field}
          size="md"
          aria-label={label}
          placeholder={placeholder}
          leftSection={<IconSearch size={18} />}
          rightSection={tools ?? (text === "" ? <Kbd size="xs">/</Kbd> : null)}
          {...(tools === undefined ? {} : { rightSectionWidth: "auto" })}
          autoFocus
          autoCapitalize="off"
          spellCheck={false}
          maxLength={10_000}
          value={text}
          onKeyDown={press}
          onBlur={() => combobox.closeDropdown()}
          onChange={({ currentTarget }) => type(currentTarget.value, currentTarget.selectionStart)}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={options.length === 0} className={classes.dropdown}>
        <Combobox.Options aria-label="Filters that fit">
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
