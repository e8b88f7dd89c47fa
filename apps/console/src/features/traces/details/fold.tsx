import { IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./fold.module.css";

/** What few people look for, one click away. */
export function Fold({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details className={classes.fold}>
      <summary>
        <IconChevronRight size={14} aria-hidden="true" />
        {title}
      </summary>
      <div className={classes.body}>{children}</div>
    </details>
  );
}
