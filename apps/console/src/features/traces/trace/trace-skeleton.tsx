import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import headerClasses from "./trace-header.module.css";
import classes from "./trace-skeleton.module.css";

/** The head of a trace that is not known yet, as high as the lines that come: the way back works already. */
export function TraceHeaderSkeleton({ breadcrumbs, isLoading }: { readonly breadcrumbs: ReactNode; readonly isLoading: boolean }) {
  return (
    <header className={headerClasses.header}>
      <div className={headerClasses.words}>
        <div className={headerClasses.up}>{breadcrumbs}</div>
        {isLoading && (
          <div className={classes.facts} role="status" aria-label="Loading the trace">
            <Skeleton height={18} width={220} radius="xl" />
            <Skeleton height={12} width={380} radius="xl" />
            <Skeleton height={12} width={240} radius="xl" />
          </div>
        )}
      </div>
    </header>
  );
}

/** Where the steps and the views of a trace will be. */
export function TraceStepsSkeleton() {
  return (
    <div className={classes.steps} role="status" aria-label="Loading the steps">
      {INDENTS.map((indent, row) => (
        <div key={row} className={classes.row}>
          <Skeleton height={12} width={`${30 - 2 * indent}%`} ml={16 * indent} radius="xl" />
          <Skeleton height={10} width={`${48 - 6 * indent}%`} radius="sm" />
        </div>
      ))}
    </div>
  );
}

const INDENTS = [0, 1, 2, 2, 1, 2, 3, 1, 2, 2];
