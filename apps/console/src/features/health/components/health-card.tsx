import { Paper, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Status, type Tone } from "#ui/status.tsx";
import classes from "./health-card.module.css";

export type Health = {
  readonly tone: Tone;
  readonly label: string;
  /** What is wrong. */
  readonly note?: string;
  readonly parts: readonly { readonly name: string; readonly tone: Tone; readonly label: string }[];
};

/** How one part of the product does, and what it stands on. */
export function HealthCard({
  name,
  purpose,
  health,
  children,
}: {
  readonly name: string;
  readonly purpose: string;
  /** Undefined until the first answer. */
  readonly health: Health | undefined;
  /** Where it leads. */
  readonly children?: ReactNode;
}) {
  return (
    <Paper component="section" className={classes.card} aria-label={name}>
      <div className={classes.head}>
        <h2>{name}</h2>
        {health === undefined ? <Skeleton width={70} height={16} /> : <Status tone={health.tone}>{health.label}</Status>}
      </div>
      <Text size="sm" c="dimmed">
        {purpose}
      </Text>
      {health?.note !== undefined && (
        <Text size="sm" mt={4} c="var(--sl-bad)">
          {health.note}
        </Text>
      )}
      {health !== undefined && health.parts.length > 0 && (
        <ul className={classes.parts}>
          {health.parts.map((part) => (
            <li key={part.name}>
              <span>{part.name}</span>
              <Status tone={part.tone}>{part.label}</Status>
            </li>
          ))}
        </ul>
      )}
      {children !== undefined && <div className={classes.foot}>{children}</div>}
    </Paper>
  );
}
