import type { Precision } from "@sightline/code-index/contract";
import classes from "./precision-label.module.css";

const WORDS: Readonly<Record<Precision, readonly [label: string, title: string]>> = {
  exact: ["exact", "Known from an uploaded SCIP index; the file has not changed since"],
  name: ["by name", "Found by its name: other things may have the same"],
};

type PrecisionLabelProps = {
  readonly precision: Precision;
  /** Why it is this one that is meant, where the syntax tells. */
  readonly reason?: string | null;
};

/** Whether a place is certain. */
export function PrecisionLabel({ precision, reason }: PrecisionLabelProps) {
  const [label, title] =
    reason === null || reason === undefined ? WORDS[precision] : [reason, "Told by scopes, imports and declared types"];
  return (
    <span className={classes.label} data-precision={precision} title={title}>
      {label}
    </span>
  );
}
