import { Button, Group, Paper, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { SessionItem } from "@sightline/identity/contract";
import { IconDeviceDesktop, IconDeviceMobile, IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useChange } from "#http/use-change.ts";
import { type Device, readDevice } from "#ui/words/device.ts";
import { failureTitle } from "#ui/kit/failure-title.ts";
import { plural } from "#ui/words/format.ts";
import { PanelList } from "#ui/kit/panel.tsx";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { revokeOtherSessions, revokeSession, sessionsQuery } from "#features/auth/api/sessions.ts";
import { loginInWords } from "./login-in-words.ts";
import classes from "./session-list.module.css";
import { StepTitle } from "./step-title.tsx";

const ICONS: Readonly<Record<Device["kind"], typeof IconDeviceDesktop>> = {
  computer: IconDeviceDesktop,
  phone: IconDeviceMobile,
  program: IconTerminal2,
};

/** Where one is logged in, each to be ended from here. */
export function SessionList() {
  const sessions = useQuery(sessionsQuery);
  const [asking, setAsking] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  // What had the focus goes with the session it belonged to.
  const focusList = () => list.current?.focus();
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  return (
    <Paper component="section" aria-label="Sessions">
      <Group p="lg" pb="md" justify="space-between" align="flex-start" gap="md">
        <StepTitle title="Sessions">Where you are logged in. Revoke any session you don't recognize, then change your password.</StepTitle>
        {others.length > 0 && (
          <Button variant="default" onClick={() => setAsking(true)}>
            Revoke all others
          </Button>
        )}
      </Group>
      <PanelList query={sessions} items={sessions.data} isHeaded rows={2} failed="The sessions could not be loaded" empty="">
        {(items) => (
          <ul ref={list} tabIndex={-1} aria-label="Your sessions" className={classes.list}>
            {items.toSorted(currentThenLatest).map((session) => (
              <Session key={session.id} session={session} onRevoked={focusList} />
            ))}
          </ul>
        )}
      </PanelList>
      <RevokeOthers count={others.length} opened={asking} onClose={() => setAsking(false)} onRevoked={focusList} />
    </Paper>
  );
}

function Session({ session, onRevoked }: { readonly session: SessionItem; readonly onRevoked: () => void }) {
  const device = readDevice(session.user_agent);
  const Icon = ICONS[device.kind];
  const revoke = useChange({
    send: () => revokeSession(session.id),
    refreshes: [sessionsQuery.queryKey],
    refreshesAlways: true,
    failed: (error) => failureTitle(error, "The session was not revoked"),
    onSuccess() {
      notifications.show({ color: "green", title: "Session revoked", message: `${device.name} is logged out.` });
      onRevoked();
    },
  });
  return (
    <li className={classes.session}>
      <Icon size={22} stroke={1.6} aria-hidden="true" />
      <div>
        <div className={classes.name}>
          <span title={session.user_agent ?? undefined}>{device.name}</span>
          {session.current && <Status tone="ok">this session</Status>}
        </div>
        <div className={classes.facts}>
          {session.ip !== null && <span>{session.ip}</span>}
          <span>
            last used <TimeStamp at={session.last_used_at} />
          </span>
          <span>
            logged in <TimeStamp at={session.created_at} /> with {loginInWords(session.amr)}
          </span>
        </div>
      </div>
      {!session.current && (
        <Button
          size="xs"
          variant="default"
          loading={revoke.isPending}
          aria-label={`Revoke the session of ${device.name}`}
          onClick={() => revoke.mutate()}
        >
          Revoke
        </Button>
      )}
    </li>
  );
}

type RevokeOthersProps = { readonly count: number; readonly opened: boolean; readonly onClose: () => void; readonly onRevoked: () => void };

function RevokeOthers({ count, opened, onClose, onRevoked }: RevokeOthersProps) {
  const revoke = useChange({
    send: () => revokeOtherSessions,
    refreshes: [sessionsQuery.queryKey],
    refreshesAlways: true,
    failed: (error) => failureTitle(error, "The sessions were not revoked"),
    onSuccess({ revoked }) {
      notifications.show({ color: "green", title: "Sessions revoked", message: `${plural(revoked, "session", "sessions")} ended.` });
      onClose();
    },
    onRefreshed: onRevoked,
    onError: onClose,
  });
  return (
    <ConfirmDialog
      opened={opened}
      title="Revoke all other sessions?"
      change={revoke}
      cancel="Keep them"
      confirm="Revoke"
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <Text>{plural(count, "session ends", "sessions end")} at once. This one stays.</Text>
    </ConfirmDialog>
  );
}

function currentThenLatest(a: SessionItem, b: SessionItem): number {
  return Number(b.current) - Number(a.current) || b.last_used_at.localeCompare(a.last_used_at);
}
