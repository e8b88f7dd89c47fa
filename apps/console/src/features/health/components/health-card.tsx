import { Paper, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import type { Health } from "#features/health/judge-health.ts";
import { Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./health-card.module.css";

type HealthCardProps = {
  readonly name: string;
  readonly purpose: string;
  /** Undefined until the first answer. */
  readonly health: Health | undefined;
  /** The page that it leads to. */
  readonly children?: ReactNode;
};

/** How one part of the product does, and what it stands on. */
export function HealthCard({ name, purpose, health, children }: HealthCardProps) {
  return (
    <Paper component="section" className={classes.card} aria-label={name}>
      <div className={classes.head}>
        <h2>{name}</h2>
        {health === undefined ? <Skeleton width={70} height={16} /> : <Status tone={health.tone}>{health.label}</Status>}
      </div>
      <Dimmed>{purpose}</Dimmed>
      {health === undefined ? (
        <Skeleton height={64} mt={6} />
      ) : (
        <ul className={classes.components}>
          {health.components.map(({ id, name: component, tone, label, notes, since }) => (
            <li key={id}>
              <div className={classes.row}>
                <span>{component}</span>
                <Status tone={tone}>{label}</Status>
              </div>
              {notes.length > 0 && (
                <div className={classes.notes}>
                  {notes.map((note) => (
                    <p key={note}>{note}</p>
                  ))}
                  {since !== undefined && (
                    <p>
                      First seen so <TimeStamp at={since} />
                    </p>
                  )}
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {children !== undefined && <div className={classes.foot}>{children}</div>}
    </Paper>
  );
}
