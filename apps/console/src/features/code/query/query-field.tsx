import type { ReactNode } from "react";
import { CompletingField, useCompleting } from "#ui/query/completing-field.tsx";
import { useTyped } from "#ui/query/use-typed.ts";
import { type Completable, type Completion, completionAt } from "./query-language.ts";
import classes from "./query-field.module.css";

const PAUSE_MS = 180;
const NOTHING: Completable = {};

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
