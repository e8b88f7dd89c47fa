import type { ReactNode } from "react";
import classes from "./page.module.css";

/** A page that is read, at a width that reads well. */
export function Page({ children }: { readonly children: ReactNode }) {
  return <div className={classes.page}>{children}</div>;
}

/** A page of tables and charts, which need more width than words. */
export function WidePage({ children }: { readonly children: ReactNode }) {
  return <div className={`${classes.page} ${classes.wide}`}>{children}</div>;
}

/** A page that fills the screen and scrolls inside: code, a trace. */
export function FullPage({ children }: { readonly children: ReactNode }) {
  return <div className={classes.full}>{children}</div>;
}
