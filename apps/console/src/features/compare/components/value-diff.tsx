import { Button, VisuallyHidden } from "@mantine/core";
import { isExactNumber } from "@sightline/foundation/exact-json";
import { useMemo, useState } from "react";
import { type DiffMessage, messagesIn, toDiffMessages } from "#features/compare/diff-messages.ts";
import { toDiffLines } from "#features/compare/diff-lines.ts";
import { toDiffWords } from "#features/compare/diff-texts.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./value-diff.module.css";

type ValueDiffProps = {
  readonly label: string;
  readonly a: unknown;
  readonly b: unknown;
  readonly side: "input" | "output";
  readonly isModelCall: boolean;
};

/** Two values as they are read best: message by message, name by name, or as texts. */
export function ValueDiff({ label, a, b, side, isModelCall }: ValueDiffProps) {
  const messages = useMemo(() => {
    const [ofA, ofB] = [messagesIn(a, side, isModelCall), messagesIn(b, side, isModelCall)];
    const hasMessages = (ofA !== undefined || isEmpty(a)) && (ofB !== undefined || isEmpty(b));
    return hasMessages ? toDiffMessages(ofA ?? [], ofB ?? []) : undefined;
  }, [a, b, side, isModelCall]);
  if (messages?.some(isDifferent) === true) {
    return <MessagesDiff label={label} messages={messages} />;
  }
  const names = namesOf(a, b);
  return names === undefined ? <TextDiff label={label} a={textOf(a)} b={textOf(b)} /> : <NamesDiff names={names} a={a} b={b} />;
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function isDifferent({ a, b }: DiffMessage): boolean {
  return a !== b;
}

/** Long stretches of equal messages are cut to the last one, which leads to what differs. */
function MessagesDiff({ label, messages }: { readonly label: string; readonly messages: readonly DiffMessage[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = messages.filter((message, index) => isWhole || isDifferent(message) || isDifferent(messages[index + 1] ?? message));
  const hidden = messages.length - shown.length;
  return (
    <div className={classes.messages} role="group" aria-label={`${label}, message by message`}>
      {hidden > 0 && (
        <Button size="compact-xs" variant="default" className={classes.more} onClick={() => setWhole(true)}>
          Show {plural(hidden, "equal message", "equal messages")}
        </Button>
      )}
      {shown.map((message, index) => (
        <MessageDiff key={index} message={message} />
      ))}
    </div>
  );
}

function MessageDiff({ message: { a, b } }: { readonly message: DiffMessage }) {
  const only = a === undefined ? "only in B" : b === undefined ? "only in A" : undefined;
  return (
    <section className={classes.message} data-side={only === undefined ? undefined : a === undefined ? "b" : "a"}>
      <p className={classes.speaker}>
        {(a ?? b)?.speaker}
        {only !== undefined && ` · ${only}`}
        {a !== undefined && a === b && " · the same"}
      </p>
      {a === undefined || b === undefined || a === b ? (
        <div className={classes.words} role="group" aria-label={(a ?? b)?.speaker} tabIndex={0}>
          <SafeText text={(a ?? b)?.text ?? ""} />
        </div>
      ) : (
        <TextDiff label={a.speaker} a={a.text} b={b.text} />
      )}
    </section>
  );
}

type NamesProps = { readonly names: readonly string[]; readonly a: unknown; readonly b: unknown };

/** The names of which either value says something; undefined where one of them is no object, or there are many. */
function namesOf(a: unknown, b: unknown): readonly string[] | undefined {
  const isRecord = (value: unknown) => typeof value === "object" && !Array.isArray(value) && !isExactNumber(value);
  const names = [...new Set([a, b].flatMap((value) => (isEmpty(value) ? [] : Object.keys(value as object))))];
  return isRecord(a ?? {}) && isRecord(b ?? {}) && names.length > 0 && names.length <= MAX_NAMES ? names : undefined;
}

const MAX_NAMES = 40;

function NamesDiff({ names, a, b }: NamesProps) {
  const valueOf = (value: unknown, name: string): unknown => (isEmpty(value) ? undefined : (value as Record<string, unknown>)[name]);
  const differing = names.filter((name) => textOf(valueOf(a, name)) !== textOf(valueOf(b, name)));
  return (
    <div className={classes.messages}>
      <dl className={classes.names}>
        {differing.map((name) => (
          <div key={name}>
            <dt>
              <SafeText text={name} />
            </dt>
            <dd>
              <TextDiff label={name} a={textOf(valueOf(a, name))} b={textOf(valueOf(b, name))} />
            </dd>
          </div>
        ))}
      </dl>
      {differing.length < names.length && (
        <Dimmed>{plural(names.length - differing.length, "other name has", "other names have")} the same value.</Dimmed>
      )}
    </div>
  );
}

const MARKS = { a: "−", b: "+", same: " ", skipped: "⋯" } as const;
const WORDS = { a: "only in A: ", b: "only in B: ", same: "", skipped: "" } as const;
/** Rows of a page's answer at the most; of more the rest can be opened in the traces themselves. */
const MAX_LINES = 2_000;

/** Characters of two texts that are compared word by word; longer ones are compared by lines. */
const MAX_WORDS = 20_000;

type TextsProps = { readonly label: string; readonly a: string; readonly b: string };

function TextDiff({ label, a, b }: TextsProps) {
  return a.length + b.length <= MAX_WORDS ? <WordsDiff label={label} a={a} b={b} /> : <LinesDiff label={label} a={a} b={b} />;
}

function WordsDiff({ label, a, b }: TextsProps) {
  const words = useMemo(() => toDiffWords(a, b), [a, b]);
  if (words === undefined) {
    return (
      <div className={classes.words} role="group" aria-label={label} tabIndex={0}>
        <dl className={classes.apart}>
          <dt>A</dt>
          <dd>{a === "" ? <i>nothing</i> : <SafeText text={a} />}</dd>
          <dt>B</dt>
          <dd>{b === "" ? <i>nothing</i> : <SafeText text={b} />}</dd>
        </dl>
      </div>
    );
  }
  return (
    <div className={classes.words} role="group" aria-label={label} tabIndex={0}>
      {words.map(({ kind, text }, index) => {
        const Mark = kind === "same" ? "span" : kind === "a" ? "del" : "ins";
        return (
          <Mark key={index}>
            <VisuallyHidden>{WORDS[kind]}</VisuallyHidden>
            <SafeText text={text} />
          </Mark>
        );
      })}
    </div>
  );
}

function LinesDiff({ label, a, b }: TextsProps) {
  const lines = useMemo(() => toDiffLines(a, b), [a, b]);
  const rest = lines.length - MAX_LINES;
  return (
    <div className={classes.lines} role="region" aria-label={`${label}, line by line`} tabIndex={0}>
      {lines.slice(0, MAX_LINES).map(({ kind, text }, index) => (
        <div key={index} className={classes.line} data-kind={kind}>
          <span className={classes.mark} aria-hidden="true">
            {MARKS[kind]}
          </span>
          <VisuallyHidden>{WORDS[kind]}</VisuallyHidden>
          <span className={classes.text}>
            <SafeText text={text} />
          </span>
        </div>
      ))}
      {rest > 0 && <div className={classes.line}>{rest} more lines</div>}
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return "";
  }
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
