import { Anchor, Text, Tooltip } from "@mantine/core";
import { type ListedTrace, NUMBERS, quoteTraceValue } from "@sightline/observability/contract";
import type { ReactNode } from "react";
import { formatCount, formatNumber } from "#ui/words/format.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./cell.module.css";
import type { Column } from "#features/traces/list/model/columns.ts";

/** Letters. */
const VERSION = 4;

/** One value of a trace; a person's, session's or model's narrows the list down to it. */
export function Cell({
  column,
  trace,
  onTerm,
}: {
  readonly column: Column;
  readonly trace: ListedTrace;
  readonly onTerm: (term: string) => void;
}): ReactNode {
  if ("number" in column) {
    const value = trace[column.number];
    return value === null ? <None /> : formatNumber(value, NUMBERS[column.number].unit);
  }
  if ("isLabel" in column) {
    const value = trace[column.id];
    return <Values field={column.id} values={value === null ? [] : [value]} onTerm={onTerm} />;
  }
  switch (column.id) {
    case "started":
      return <TimeStamp at={trace.started_at} />;
    case "steps":
      return formatCount(trace.observations);
    case "failures":
      return trace.failures === 0 ? <None /> : <span className={classes.bad}>{formatCount(trace.failures)}</span>;
    case "tokens":
      return <Tokens trace={trace} />;
    case "models":
      return <Values field="model" values={trace.models} onTerm={onTerm} />;
    case "user":
    case "session":
    case "thread": {
      const id = trace[`${column.id}_id`];
      return <Values field={column.id} values={id === null ? [] : [id]} onTerm={onTerm} />;
    }
    case "input":
      return trace.input === null ? <None /> : <Cut text={trace.input} />;
    case "output":
      return <Output trace={trace} />;
    case "tags":
      return <Values field="tag" values={trace.tags} onTerm={onTerm} />;
    case "scores":
      return trace.scores.length === 0 ? <None /> : <Cut text={trace.scores.map(scoreInWords).join(", ")} />;
    case "error":
      return trace.error === null ? <None /> : <Cut text={trace.error} />;
    default:
      return column satisfies never;
  }
}

function Tokens({ trace: { input_tokens: input, output_tokens: output } }: { readonly trace: ListedTrace }) {
  if (input === null && output === null) {
    return <None />;
  }
  return (
    <Tooltip label={`${formatCount(input ?? 0)} in, ${formatCount(output ?? 0)} out`}>
      <span>{formatCount((input ?? 0) + (output ?? 0))}</span>
    </Tooltip>
  );
}

type ValuesProps = { readonly field: string; readonly values: readonly string[]; readonly onTerm: (term: string) => void };

function Values({ field, values, onTerm }: ValuesProps) {
  if (values.length === 0) {
    return <None />;
  }
  return (
    <div className={classes.cut}>
      {values.map((value, index) => (
        <span key={value}>
          {index > 0 && ", "}
          <Tooltip label={`Only ${field}:${value}`}>
            <Anchor component="button" c="inherit" fz="inherit" onClick={() => onTerm(`${field}:${quoteTraceValue(value)}`)}>
              {field === "model" ? <CutInside text={value} /> : <SafeText text={value} />}
            </Anchor>
          </Tooltip>
        </span>
      ))}
    </div>
  );
}

/** A model's version is what its name ends in. */
function CutInside({ text }: { readonly text: string }) {
  return (
    <span className={classes.ends}>
      <span className={classes.cut}>
        <SafeText text={text.slice(0, -VERSION)} />
      </span>
      <span>
        <SafeText text={text.slice(-VERSION)} />
      </span>
    </span>
  );
}

/** What came back of a trace; of one that failed its error, which is what one looks for, also where something came back before it. */
function Output({ trace: { status, error, output } }: { readonly trace: ListedTrace }) {
  if (error !== null && (status === "failure" || output === null)) {
    return (
      <span className={classes.bad}>
        <Cut text={error} />
      </span>
    );
  }
  return output === null ? <None /> : <Cut text={output} />;
}

function Cut({ text }: { readonly text: string }) {
  return (
    <Tooltip label={<SafeText text={text} />} multiline maw={420}>
      <div className={classes.cut}>
        <SafeText text={text} />
      </div>
    </Tooltip>
  );
}

function None() {
  return (
    <Text span c="dimmed">
      –
    </Text>
  );
}

export function scoreInWords({ name, value, count }: ListedTrace["scores"][number]): string {
  const mean = Number(value.toFixed(2));
  return count === 1 ? `${name} ${mean}` : `${name} ${mean} (${count})`;
}
