import { type TraceQueryError, parseTraceQuery } from "@sightline/observability/contract";
import classes from "./query-marks.module.css";

type Mark = { readonly from: number; readonly to: number; readonly kind: "term" | "error" };

/** Behind a query's text: what was understood as a filter, and what can't be read. */
export function QueryMarks({
  text,
  errors,
  scroll,
}: {
  readonly text: string;
  readonly errors: readonly TraceQueryError[];
  /** By how many pixels the field has moved its text. */
  readonly scroll: number;
}) {
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
