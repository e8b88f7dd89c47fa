import { Alert, Button, Group, Paper, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { factorsOfAccount, type Passkey } from "@sightline/identity/contract";
import { IconFingerprint } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Api } from "#http/api.ts";
import { useChange } from "#http/use-change.ts";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { PanelList } from "#ui/kit/panel.tsx";
import { Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { useMe } from "#features/auth/api/me.ts";
import { PASSKEY_KEYS, passkeysQuery, removePasskey } from "#features/auth/api/passkeys.ts";
import { passkeysWork } from "#features/auth/passkey.ts";
import { useStepUp } from "#features/auth/step-up.ts";
import { NamePasskeyDialog } from "./name-passkey-dialog.tsx";
import classes from "./session-list.module.css";
import { StepTitle } from "./step-title.tsx";

type Asking = { readonly what: "add" } | { readonly what: "rename" | "remove"; readonly passkey: Passkey };

/** One's passkeys: for admins, and for members where their organization lets them have some or they have some already. */
export function Passkeys() {
  const passkeys = useQuery(passkeysQuery);
  const list = useRef<HTMLUListElement>(null);
  const [asking, setAsking] = useState<Asking>();
  const close = () => setAsking(undefined);
  const works = passkeysWork();
  const { may_add_passkeys: mayAdd, passkeys: count } = useMe();
  if (!mayAdd && count === 0) {
    return null;
  }
  return (
    <Paper component="section" aria-label="Passkeys">
      <Group p="lg" pb="md" justify="space-between" align="flex-start" gap="md">
        <StepTitle title="Passkeys">
          Log in with this device, a phone or a security key instead of your password. A passkey can also be your second factor.
        </StepTitle>
        {works && mayAdd && (
          <Button variant="default" onClick={() => setAsking({ what: "add" })}>
            Add a passkey
          </Button>
        )}
      </Group>
      {!mayAdd && (
        <Alert color="yellow" mx="lg" mb="md">
          Your organization does not let members add passkeys. Those that you have keep logging you in.
        </Alert>
      )}
      <PanelList
        query={passkeys}
        items={passkeys.data}
        isHeaded
        rows={1}
        failed="The passkeys could not be loaded"
        empty={works ? "You have none yet." : "Browsers offer passkeys over https, or on the machine itself, at an address with a name."}
      >
        {(items) => (
          <ul ref={list} tabIndex={-1} aria-label="Your passkeys" className={classes.list}>
            {items.map((passkey) => (
              <Item key={passkey.id} passkey={passkey} onAsk={(what) => setAsking({ what, passkey })} />
            ))}
          </ul>
        )}
      </PanelList>
      {asking !== undefined && asking.what !== "remove" && (
        <NamePasskeyDialog passkey={asking.what === "rename" ? asking.passkey : undefined} onClose={close} />
      )}
      <RemoveDialog
        passkey={asking?.what === "remove" ? asking.passkey : undefined}
        isLast={passkeys.data?.length === 1}
        onRemoved={() => list.current?.focus()}
        onClose={close}
      />
    </Paper>
  );
}

function Item({ passkey, onAsk }: { readonly passkey: Passkey; readonly onAsk: (what: "rename" | "remove") => void }) {
  return (
    <li className={classes.session}>
      <IconFingerprint size={22} stroke={1.6} aria-hidden="true" />
      <div>
        <div className={classes.name}>
          <span>{passkey.name}</span>
          {passkey.synced && <Status tone="idle">on several devices</Status>}
        </div>
        <div className={classes.facts}>
          <span>
            added <TimeStamp at={passkey.created_at} />
          </span>
          {passkey.last_used_at === null ? (
            <span>never used</span>
          ) : (
            <span>
              last used <TimeStamp at={passkey.last_used_at} />
            </span>
          )}
        </div>
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button size="xs" variant="default" aria-label={`Rename ${passkey.name}`} onClick={() => onAsk("rename")}>
          Rename
        </Button>
        <Button size="xs" variant="default" aria-label={`Remove ${passkey.name}`} onClick={() => onAsk("remove")}>
          Remove
        </Button>
      </Group>
    </li>
  );
}

type RemoveDialogProps = {
  readonly passkey: Passkey | undefined;
  readonly isLast: boolean;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
};

function RemoveDialog({ passkey, isLast, onRemoved, onClose }: RemoveDialogProps) {
  const factors = factorsOfAccount(useMe());
  const withStepUp = useStepUp();
  const remove = useChange({
    send: ({ id }: Passkey, api: Api) => withStepUp(() => api.request(removePasskey(id))),
    refreshes: PASSKEY_KEYS,
    onSuccess(_answer, { name }) {
      notifications.show({ color: "green", title: "Passkey removed", message: `${name} can no longer log in.` });
      onClose();
    },
    onRefreshed: onRemoved,
  });
  return (
    <ConfirmDialog
      opened={passkey !== undefined}
      title="Remove this passkey?"
      change={remove}
      failed="The passkey was not removed"
      confirm="Remove"
      onConfirm={() => passkey !== undefined && remove.mutate(passkey)}
      onClose={onClose}
    >
      <Text>
        {passkey?.name} no longer logs in, and your other sessions end.
        {isLast && factors.length === 1 && " It is your only second factor: without it your password alone opens this account."}
      </Text>
    </ConfirmDialog>
  );
}
