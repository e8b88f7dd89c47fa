import { Paper, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./panel.module.css";

export function Panel({ title, aside, children }: { readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode }) {
  return (
    <Paper component="section" className={classes.panel} aria-label={title}>
      <div className={classes.head}>
        <Title order={2} fz={15}>
          {title}
        </Title>
        {aside}
      </div>
      {children}
    </Paper>
  );
}

/** What stands in place of rows. */
export function PanelNote({ icon, role, children }: { readonly icon?: ReactNode; readonly role?: "alert"; readonly children: ReactNode }) {
  return (
    <p className={classes.note} role={role}>
      {icon}
      <span>{children}</span>
    </p>
  );
}
