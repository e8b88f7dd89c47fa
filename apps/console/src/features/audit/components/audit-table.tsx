import { Text, UnstyledButton } from "@mantine/core";
import type { AuditEntry } from "@sightline/identity/contract";
import {
  IconChevronRight,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDot,
  IconPencil,
  IconShieldExclamation,
} from "@tabler/icons-react";
import { useState } from "react";
import { DataTable } from "#ui/kit/data-table.tsx";
import { readDevice } from "#ui/words/device.ts";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { findEventLabel, nameOfDetail, type Severity } from "#features/audit/event-labels.ts";
import { EntryDetails, type Narrow } from "./entry-details.tsx";
import classes from "./audit-table.module.css";

export function AuditTable({ entries, onNarrow }: { readonly entries: readonly AuditEntry[]; readonly onNarrow: Narrow }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());

  function toggle(id: number): void {
    setOpened((before) => (before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id])));
  }

  return (
    <DataTable
      label="Audit"
      minWidth={760}
      layout="fixed"
      rows={entries}
      rowKey={({ id }) => id}
      rowProps={({ id }) => ({ className: classes.row ?? "", "data-opened": opened.has(id) || undefined })}
      details={(entry) =>
        opened.has(entry.id)
          ? { id: detailsIdOf(entry), className: classes.details ?? "", children: <EntryDetails entry={entry} onNarrow={onNarrow} /> }
          : undefined
      }
      columns={[
        {
          header: "Event",
          width: 220,
          render: (entry) => (
            <UnstyledButton
              className={classes.toggle}
              aria-expanded={opened.has(entry.id)}
              aria-controls={opened.has(entry.id) ? detailsIdOf(entry) : undefined}
              aria-label={`${findEventLabel(entry.event).label}, row ${entry.id}`}
              onClick={() => toggle(entry.id)}
            >
              <IconChevronRight size={15} className={classes.chevron} aria-hidden="true" />
              <EventName event={entry.event} />
            </UnstyledButton>
          ),
        },
        { header: "Time", width: 196, td: { className: classes.time ?? "" }, render: ({ at }) => <ExactTime at={at} /> },
        { header: "User", render: (entry) => <People entry={entry} /> },
        { header: "IP address", width: 140, render: (entry) => <Origin entry={entry} /> },
        { header: "Details", className: classes.summary, render: (entry) => <Summary entry={entry} /> },
      ]}
    />
  );
}

function Origin({ entry }: { readonly entry: AuditEntry }) {
  return (
    <>
      <div className={classes.line}>
        {entry.ip ?? (
          <Text span inherit c="dimmed">
            the host itself
          </Text>
        )}
      </div>
      {entry.user_agent !== null && (
        <Text size="xs" c="dimmed" className={classes.line}>
          {readDevice(entry.user_agent).name}
        </Text>
      )}
    </>
  );
}

function Summary({ entry }: { readonly entry: AuditEntry }) {
  const details = Object.entries(entry.details)
    .map(([name, value]) => `${nameOfDetail(name).toLowerCase()}: ${inWords(value)}`)
    .join(", ");
  return (
    <Text size="xs" c="dimmed" className={classes.line} title={details}>
      {details}
    </Text>
  );
}

/** A code of the API, such as `password_changed`, as words; anything else is somebody's own. */
function inWords(value: string): string {
  return /^[a-z]+(?:_[a-z]+)+$/u.test(value) ? value.replaceAll("_", " ") : value;
}

/** Whom it happened to, and who did it where that was someone else. */
function People({ entry: { user, actor, ip } }: { readonly entry: AuditEntry }) {
  const whom = user ?? actor;
  return (
    <>
      <div className={classes.line} title={whom === null ? undefined : nameOf(whom)}>
        {whom === null ? (
          <Text span inherit c="dimmed">
            {actor === null && ip === null ? "Sightline" : "no known account"}
          </Text>
        ) : (
          nameOf(whom)
        )}
      </div>
      {actor !== null && actor.id !== whom?.id && (
        <Text size="xs" c="dimmed" className={classes.line} title={`by ${nameOf(actor)}`}>
          by {nameOf(actor)}
        </Text>
      )}
    </>
  );
}

function nameOf({ id, email }: { readonly id: string; readonly email: string | null }): string {
  return email ?? `deleted user …${id.slice(-8)}`;
}

function detailsIdOf({ id }: AuditEntry): string {
  return `audit-${id}`;
}

const ICONS: Readonly<Record<Severity, typeof IconCircleDot>> = {
  calm: IconCircleDot,
  good: IconCircleCheck,
  change: IconPencil,
  warning: IconAlertTriangle,
  alarm: IconShieldExclamation,
};

/** What happened, in words, with an icon that tells how much it matters. */
function EventName({ event }: { readonly event: string }) {
  const { label, severity } = findEventLabel(event);
  const Icon = ICONS[severity];
  return (
    <span className={classes.event} data-severity={severity}>
      <Icon size={16} stroke={1.8} aria-hidden="true" />
      {label}
    </span>
  );
}
