import { IconAlertTriangle, IconCircleCheck, IconCircleDot, IconPencil, IconShieldExclamation } from "@tabler/icons-react";
import { type Severity, labelOf } from "#features/audit/event-labels.ts";
import classes from "./event-name.module.css";

const ICONS: Readonly<Record<Severity, typeof IconCircleDot>> = {
  calm: IconCircleDot,
  good: IconCircleCheck,
  change: IconPencil,
  warning: IconAlertTriangle,
  alarm: IconShieldExclamation,
};

/** What happened, in words, with an icon that tells how much it matters. */
export function EventName({ event }: { readonly event: string }) {
  const { label, severity } = labelOf(event);
  const Icon = ICONS[severity];
  return (
    <span className={classes.event} data-severity={severity}>
      <Icon size={16} stroke={1.8} aria-hidden="true" />
      {label}
    </span>
  );
}
