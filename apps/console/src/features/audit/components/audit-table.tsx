import { Table, Text, UnstyledButton } from "@mantine/core";
import type { AuditEntry } from "@sightline/identity/contract";
import { IconChevronRight } from "@tabler/icons-react";
import { Fragment, useState } from "react";
import { deviceOf } from "#ui/words/device.ts";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { labelOf } from "#features/audit/event-labels.ts";
import classes from "./audit-table.module.css";
import { EntryDetails, type Narrow } from "./entry-details.tsx";
import { EventName } from "./event-name.tsx";

const COLUMNS = 5;

export function AuditTable({ entries, onNarrow }: { readonly entries: readonly AuditEntry[]; readonly onNarrow: Narrow }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());

  function toggle(id: number): void {
    setOpened((before) => (before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id])));
  }

  return (
    <Table.ScrollContainer minWidth={740} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Audit" } }}>
      <Table layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={240}>Event</Table.Th>
            <Table.Th w={136}>Time</Table.Th>
            <Table.Th>User</Table.Th>
            <Table.Th w={140}>From</Table.Th>
            <Table.Th className={classes.summary}>Details</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Fragment key={entry.id}>
              <EntryRow entry={entry} opened={opened.has(entry.id)} onToggle={() => toggle(entry.id)} />
              {opened.has(entry.id) && (
                <Table.Tr id={detailsIdOf(entry)} className={classes.details}>
                  <Table.Td colSpan={COLUMNS}>
                    <EntryDetails entry={entry} onNarrow={onNarrow} />
                  </Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function EntryRow({ entry, opened, onToggle }: { readonly entry: AuditEntry; readonly opened: boolean; readonly onToggle: () => void }) {
  const details = Object.entries(entry.details)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${value}`)
    .join(", ");
  return (
    <Table.Tr className={classes.row} data-opened={opened || undefined}>
      <Table.Td>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={opened}
          aria-controls={opened ? detailsIdOf(entry) : undefined}
          aria-label={`${labelOf(entry.event).label}, row ${entry.id}`}
          onClick={onToggle}
        >
          <IconChevronRight size={15} className={classes.chevron} aria-hidden="true" />
          <EventName event={entry.event} />
        </UnstyledButton>
      </Table.Td>
      <Table.Td className={classes.time}>
        <ExactTime at={entry.at} />
      </Table.Td>
      <Table.Td>
        <People entry={entry} />
      </Table.Td>
      <Table.Td>
        <div className={classes.line}>
          {entry.ip ?? (
            <Text span inherit c="dimmed">
              the host itself
            </Text>
          )}
        </div>
        {entry.user_agent !== null && (
          <Text size="xs" c="dimmed" className={classes.line}>
            {deviceOf(entry.user_agent).name}
          </Text>
        )}
      </Table.Td>
      <Table.Td className={classes.summary}>
        <Text size="xs" c="dimmed" className={classes.line} title={details}>
          {details}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

/** Whom it happened to, and who did it where that was someone else. */
function People({ entry: { user, actor } }: { readonly entry: AuditEntry }) {
  const whom = user ?? actor;
  return (
    <>
      <div className={classes.line} title={whom === null ? undefined : nameOf(whom)}>
        {whom === null ? (
          <Text span inherit c="dimmed">
            no account
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
