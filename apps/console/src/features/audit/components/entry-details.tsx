import { Anchor } from "@mantine/core";
import type { AuditEntry } from "@sightline/identity/contract";
import type { ReactNode } from "react";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { nameOfDetail } from "#features/audit/event-labels.ts";
import { formatTimeAndZone } from "#ui/words/format.ts";
import { formatUtc } from "#ui/time/time-stamp.tsx";
import classes from "./entry-details.module.css";

/** Shows only what has to do with this user, address or event. */
export type Narrow = (to: { readonly user: string } | { readonly ip: string } | { readonly events: readonly string[] }) => void;

const WHOLE = 64;

/** Everything that the row says. */
export function EntryDetails({ entry, onNarrow }: { readonly entry: AuditEntry; readonly onNarrow: Narrow }) {
  const { user, actor, ip, user_agent: userAgent, session_id: session } = entry;
  return (
    <dl className={classes.fields}>
      <Field name="Event">
        <span className={classes.mono}>{entry.event}</span>
        <Only label="this event" onClick={() => onNarrow({ events: [entry.event] })} />
      </Field>
      <Field name="Row">
        <CopyableId value={String(entry.id)} label="row number" length={WHOLE} />
      </Field>
      <Field name="Time">
        {formatTimeAndZone(new Date(entry.at))}
        <span className={classes.quiet}>{formatUtc(new Date(entry.at))}</span>
      </Field>
      {user !== null && (
        <Field name="User">
          <Person person={user} label="user id" onNarrow={onNarrow} />
        </Field>
      )}
      {actor !== null && actor.id !== user?.id && (
        <Field name="Done by">
          <Person person={actor} label="id of who did it" onNarrow={onNarrow} />
        </Field>
      )}
      {session !== null && (
        <Field name="Session">
          <CopyableId value={session} label="session id" length={WHOLE} />
        </Field>
      )}
      {ip !== null && (
        <Field name="IP address">
          <CopyableId value={ip} label="address" length={WHOLE} />
          <Only label="this address" onClick={() => onNarrow({ ip })} />
        </Field>
      )}
      {userAgent !== null && <Field name="Device">{userAgent}</Field>}
      {Object.entries(entry.details).map(([name, value]) => (
        <Field key={name} name={nameOfDetail(name)}>
          {value}
        </Field>
      ))}
    </dl>
  );
}

type PersonProps = { readonly person: NonNullable<AuditEntry["user"]>; readonly label: string; readonly onNarrow: Narrow };

function Person({ person, label, onNarrow }: PersonProps) {
  return (
    <>
      {person.email ?? "a deleted user"}
      <CopyableId value={person.id} label={label} length={WHOLE} />
      <Only label="this user" onClick={() => onNarrow({ user: person.id })} />
    </>
  );
}

function Only({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Anchor component="button" type="button" size="xs" onClick={onClick}>
      Only {label}
    </Anchor>
  );
}

function Field({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={classes.field}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
