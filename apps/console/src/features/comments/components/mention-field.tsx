import { Combobox, Textarea, useCombobox } from "@mantine/core";
import { MAX_COMMENT_LENGTH } from "@sightline/observability/contract";
import { useRef, useState } from "react";
import type { Mentionable } from "#features/comments/comment-text.ts";
import { SafeText } from "#ui/words/safe-text.tsx";

type MentionFieldProps = {
  readonly label: string;
  readonly text: string;
  readonly people: readonly Mentionable[];
  readonly onText: (text: string) => void;
};

const MAX_OFFERED = 8;
const BEGUN = /(?<![\p{L}\p{N}])@([^@\n]{0,40})$/u;

/** A comment as it is typed; after an @ it offers people. */
export function MentionField({ label, text, people, onText }: MentionFieldProps) {
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const begun = BEGUN.exec(text.slice(0, caret))?.[1]?.toLowerCase();
  const offered =
    begun === undefined || !combobox.dropdownOpened
      ? []
      : people.filter(({ name }) => name.toLowerCase().includes(begun)).slice(0, MAX_OFFERED);

  function take(name: string): void {
    const before = `${text.slice(0, caret - (begun?.length ?? 0))}${name} `;
    onText(before + text.slice(caret));
    combobox.closeDropdown();
    // React puts the caret at the end of a text that it changed.
    requestAnimationFrame(() => field.current?.setSelectionRange(before.length, before.length));
  }

  return (
    <Combobox store={combobox} position="bottom-start" withinPortal={false} onOptionSubmit={take}>
      <Combobox.Target withKeyboardNavigation={offered.length > 0}>
        <Textarea
          ref={field}
          label={label}
          description="@ mentions somebody, who is told"
          rows={3}
          resize="vertical"
          maxLength={MAX_COMMENT_LENGTH}
          value={text}
          onBlur={() => combobox.closeDropdown()}
          onChange={({ currentTarget }) => {
            onText(currentTarget.value);
            setCaret(currentTarget.selectionStart);
            combobox.openDropdown();
            combobox.resetSelectedOption();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={offered.length === 0}>
        <Combobox.Options aria-label="People who can be mentioned">
          {offered.map(({ id, name }) => (
            <Combobox.Option key={id} value={name}>
              <SafeText text={name} />
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
