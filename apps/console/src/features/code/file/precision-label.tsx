import type { Precision } from "@sightline/code-index/contract";
import classes from "./precision-label.module.css";

const WORDS: Readonly<Record<Precision, readonly [label: string, title: string]>> = {
  exact: ["exact", "Known from an uploaded SCIP index; the file has not changed since"],
  name: ["by name", "Found by its name: other things may have the same"],
};

/** Whether a place is certain. */
export function PrecisionLabel({ precision }: { readonly precision: Precision }) {
  const [label, title] = WORDS[precision];
  return (
    <span className={classes.label} data-precision={precision} title={title}>
      {label}
    </span>
  );
}
