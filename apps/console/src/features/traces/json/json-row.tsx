import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { isExactNumber } from "@sightline/foundation/exact-json";
import { IconChevronRight } from "@tabler/icons-react";
import { SafeText } from "#ui/words/safe-text.tsx";
import { type JsonRow, isTruncated } from "./json-rows.ts";
import { formatCount, plural } from "#ui/words/format.ts";
import classes from "./json-view.module.css";

const INDENT = 16;
/** Characters of a text that stands in one row. */
const SHORT = 160;

type JsonRowViewProps = {
  readonly row: JsonRow;
  /** What is searched for, in lower case. */
  readonly words: string;
  /** How much of the value that is being loaded is here. */
  readonly loading: number | undefined;
  readonly onToggle: () => void;
  /** Loads the whole value; undefined where that is not possible. */
  readonly onLoad: (() => void) | undefined;
};

export function JsonRowView({ row, words, loading, onToggle, onLoad }: JsonRowViewProps) {
  return (
    <span className={classes.row} style={{ paddingLeft: 6 + row.depth * INDENT }}>
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- for the mouse; the keyboard has the arrow keys of the tree */}
      <span
        className={classes.toggle}
        aria-hidden="true"
        onClick={(event) => {
          if (row.expanded !== undefined) {
            event.stopPropagation();
            onToggle();
          }
        }}
      >
        {row.expanded !== undefined && <IconChevronRight size={14} data-open={row.expanded || undefined} />}
      </span>
      {row.line === undefined ? (
        <>
          {row.label !== undefined && (
            <>
              <span className={typeof row.label === "number" ? classes.dim : classes.key}>
                <Marked text={String(row.label)} words={typeof row.label === "number" ? "" : words} />
              </span>
              <span className={classes.colon}>: </span>
            </>
          )}
          {isTruncated(row.value) ? (
            <>
              <span className={classes.dim}>{formatCount(row.value.characters)} characters, not loaded </span>
              {onLoad !== undefined && (
                <UnstyledButton
                  className={classes.load}
                  tabIndex={-1}
                  onClick={(event) => {
                    event.stopPropagation();
                    onLoad();
                  }}
                >
                  {loading === undefined ? "Load all of it" : `${Math.round(loading * 100)} %`}
                </UnstyledButton>
              )}
            </>
          ) : (
            <Value value={row.value} open={row.expanded === true} words={words} />
          )}
        </>
      ) : (
        <span className={`${classes.text} ${classes.line}`}>
          {/* A row needs a name. */}
          {row.line.trim() === "" && <VisuallyHidden>Empty line</VisuallyHidden>}
          <Marked text={row.line} words={words} />
        </span>
      )}
    </span>
  );
}

function Value({ value, open, words }: { readonly value: unknown; readonly open: boolean; readonly words: string }) {
  if (typeof value === "string") {
    const shown = open ? "" : JSON.stringify(value.length > SHORT ? value.slice(0, SHORT) : value);
    return (
      <span className={`${classes.text} ${open ? classes.dim : classes.string}`}>
        {open ? (
          plural(value.length, "character", "characters")
        ) : (
          <Marked text={value.length > SHORT ? `${shown.slice(0, -1)}…` : shown} words={words} />
        )}
      </span>
    );
  }
  if (Array.isArray(value)) {
    return <span className={classes.dim}>{value.length === 0 ? "[]" : `[ ${plural(value.length, "item", "items")} ]`}</span>;
  }
  const isNumber = typeof value === "number" || isExactNumber(value);
  if (typeof value === "object" && value !== null && !isNumber) {
    return (
      <span className={`${classes.text} ${classes.dim}`}>
        <SafeText text={keysOf(value, open)} />
      </span>
    );
  }
  return (
    <span className={isNumber ? classes.number : classes.word}>
      <Marked text={String(value)} words={words} />
    </span>
  );
}

function keysOf(value: object, open: boolean): string {
  const keys = Object.keys(value);
  if (keys.length === 0) {
    return "{}";
  }
  return open ? `{ ${plural(keys.length, "key", "keys")} }` : `{ ${keys.slice(0, 8).join(", ")}${keys.length > 8 ? ", …" : ""} }`;
}

function Marked({ text, words }: { readonly text: string; readonly words: string }) {
  const at = words === "" ? -1 : text.toLowerCase().indexOf(words);
  return at < 0 ? (
    <SafeText text={text} />
  ) : (
    <>
      <SafeText text={text.slice(0, at)} />
      <mark>
        <SafeText text={text.slice(at, at + words.length)} />
      </mark>
      <SafeText text={text.slice(at + words.length)} />
    </>
  );
}
