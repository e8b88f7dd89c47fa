import { Modal, Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useIsMutating } from "@tanstack/react-query";
import { useState, useEffect, useRef } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { changeAccount } from "#features/users/api/accounts.ts";
import { ACTION_KEY, ActionForm, type Asking } from "./action-form.tsx";
import { doneOrWaiting } from "#features/users/account-state.ts";
import { type Intent, toMenuId } from "./account-menu.tsx";
import { ConfirmChange, DeleteAccount, ResetPassword, ResetSecondFactor, TakeBack, UnlockSecondFactor } from "./confirm-action.tsx";
import { CreateAccount, RoleChoice } from "./create-account.tsx";
import { WaitingForSecond } from "./waiting-for-second.tsx";
import { useBlocker } from "@tanstack/react-router";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { type AccountItem, factorsOfAccount } from "@sightline/identity/contract";

export type DialogSubject = Intent | { readonly kind: "create" };

type Shown = { readonly name: string; readonly password: string };

const TITLES: Readonly<Record<DialogSubject["kind"], string>> = {
  create: "Create a user",
  edit: "Change the user",
  "require-password": "Require a new password?",
  "reset-password": "Reset the password?",
  "unlock-second-factor": "Unlock 2FA codes?",
  "reset-second-factor": "Reset 2FA?",
  "take-back": "Withdraw the request?",
  disable: "Disable this account?",
  enable: "Enable this account?",
  delete: "Delete this account?",
};

type AccountDialogsProps = Pick<Asking, "withStepUp"> & {
  /** Stays while the dialog fades out. */
  readonly subject: DialogSubject | undefined;
  readonly opened: boolean;
  readonly ownId: string;
  readonly mailWorks: boolean | undefined;
  readonly onClose: () => void;
};

/** The dialogs of the users page, of which at most one is open. */
export function AccountDialogs({ opened, onClose, ...about }: AccountDialogsProps) {
  const { subject } = about;
  const [shown, setShown] = useState<Shown>();
  const busy = useIsMutating({ mutationKey: ACTION_KEY }) > 0;
  // What is shown once must not vanish by a slip, nor the dialog while its call runs.
  const closable = shown === undefined && !busy;

  function done(message: string): void {
    notifications.show({ color: "green", title: "Done", message });
    onClose();
  }

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={shown === undefined ? titleOf(subject) : `One-time password of ${shown.name}`}
      closeOnEscape={closable}
      closeOnClickOutside={closable}
      withCloseButton={shown === undefined}
      // The menu's entry that opened the dialog is gone by then.
      returnFocus={subject?.kind === "create"}
      onExitTransitionEnd={() => {
        setShown(undefined);
        if (subject !== undefined && subject.kind !== "create") {
          // A deleted account took its menu with it.
          (document.getElementById(toMenuId(subject.account)) ?? document.getElementById("main"))?.focus();
        }
      }}
    >
      {shown === undefined ? (
        <Content {...about} onShow={setShown} onDone={done} onCancel={onClose} />
      ) : (
        <OneTimePassword {...shown} onDone={onClose} />
      )}
    </Modal>
  );
}

function titleOf(subject: DialogSubject | undefined): string {
  if (subject?.kind === "reset-password" && subject.account.invited) {
    return "Invite again?";
  }
  return TITLES[subject?.kind ?? "create"];
}

type ContentProps = Omit<AccountDialogsProps, "opened" | "onClose"> & {
  readonly onShow: (shown: Shown) => void;
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
};

function Content({ subject, ownId, mailWorks, onShow, onDone, ...asking }: ContentProps) {
  const common = { onDone, ...asking };
  switch (subject?.kind) {
    case "create":
      return (
        <CreateAccount
          {...asking}
          mailWorks={mailWorks}
          onCreated={({ user, one_time_password: password }) => {
            if (password === null) {
              onDone(`The invitation is on its way to ${user.email}.`);
            } else {
              onShow({ name: user.name, password });
            }
          }}
        />
      );
    case "edit":
      return <EditAccount account={subject.account} own={subject.account.id === ownId} {...common} />;
    case "reset-password":
      return (
        <ResetPassword
          account={subject.account}
          mailWorks={mailWorks}
          onPassword={(password) => onShow({ name: subject.account.name, password })}
          {...common}
        />
      );
    case "unlock-second-factor":
      return <UnlockSecondFactor account={subject.account} {...common} />;
    case "reset-second-factor":
      return <ResetSecondFactor account={subject.account} {...common} />;
    case "take-back":
      return <TakeBack account={subject.account} {...common} />;
    case "disable":
    case "enable":
    case "require-password":
      return <ConfirmChange kind={subject.kind} account={subject.account} {...common} />;
    case "delete":
      return <DeleteAccount account={subject.account} {...common} />;
    case undefined:
    default:
      return null;
  }
}

/** The only showing of a one-time password, which its reader has to hand over. */
function OneTimePassword({ name, password, onDone }: { readonly name: string; readonly password: string; readonly onDone: () => void }) {
  const [copied, setCopied] = useState(false);
  // The browser asks before a reload; other ways out wait, as the dialog itself does.
  useBlocker({ shouldBlockFn: () => !copied, enableBeforeUnload: () => !copied });
  const box = useRef<HTMLDivElement>(null);
  // It takes the place of the form that had the focus.
  useEffect(() => box.current?.querySelector("pre")?.focus(), []);
  return (
    <Stack gap="md" ref={box}>
      <Alert color="yellow" title="Copy it now: you will not see it again" role="status">
        It is not stored anywhere. If it gets lost, reset the password again.
      </Alert>
      <CopyableBlock text={password} label="the one-time password" />
      <Dimmed>Give it to {name} through a channel you trust. It can only be used to choose a password at the first login.</Dimmed>
      <Group justify="flex-end">
        <Button
          onClick={() => {
            setCopied(true);
            onDone();
          }}
        >
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}

type EditAccountProps = Asking & {
  readonly account: AccountItem;
  readonly own: boolean;
  readonly onDone: (message: string) => void;
};

function EditAccount({ account, own, onDone, ...asking }: EditAccountProps) {
  const [name, setName] = useState(account.name);
  const [role, setRole] = useState(account.role);
  const newName = name.trim() !== account.name;
  const newRole = role !== account.role;
  return (
    <ActionForm
      {...asking}
      label="Save"
      failure="Nothing was changed"
      ready={name.trim() !== "" && (newName || newRole)}
      send={() => changeAccount(account.id, { ...(newName ? { name: name.trim() } : {}), ...(newRole ? { role } : {}) })}
      onDone={(saved) => onDone(doneOrWaiting(saved, newRole ? "demote" : undefined, `${saved.name} is saved.`))}
    >
      <Dimmed>{account.email}</Dimmed>
      <TextInput label="Name" maxLength={200} autoComplete="off" data-autofocus {...typedInto(name, setName)} />
      {own ? <Dimmed>Only another admin can change your role.</Dimmed> : <RoleChoice role={role} onChange={setRole} />}
      <WaitingForSecond account={account} action="demote" />
      {newRole && (
        <Alert color="yellow">
          A new role ends the sessions of {account.name}, who has to log in again.
          {role === "member" && factorsOfAccount(account).length > 0 && " 2FA stays on."}
        </Alert>
      )}
    </ActionForm>
  );
}
