import { Alert, Text, TextInput } from "@mantine/core";
import { type AccountItem, resetSecondFactorRequestSchema } from "@sightline/identity/contract";
import { useState } from "react";
import { confirmsEmail } from "#features/users/account-state.ts";
import type { AccountActions } from "#features/users/api/account-actions.ts";
import { ActionForm } from "./action-form.tsx";

type Props = {
  readonly account: AccountItem;
  readonly actions: AccountActions;
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
};

export function DisableAccount({ account, actions, onDone, onCancel }: Props) {
  return (
    <ActionForm
      label="Disable"
      dangerous
      failure="The account was not disabled"
      run={() => actions.change(account.id, { disabled: true })}
      onDone={() => onDone(`${account.name} can no longer log in.`)}
      onCancel={onCancel}
    >
      <Text>
        {account.name} ({account.email}) is logged out everywhere within a minute and can't log in until the account is enabled again.
        Nothing is deleted.
      </Text>
    </ActionForm>
  );
}

export function EnableAccount({ account, actions, onDone, onCancel }: Props) {
  return (
    <ActionForm
      label="Enable"
      failure="The account was not enabled"
      run={() => actions.change(account.id, { disabled: false })}
      onDone={() => onDone(`${account.name} can log in again.`)}
      onCancel={onCancel}
    >
      <Text>
        {account.name} ({account.email}) can log in again, with the same password and the same second factor as before.
      </Text>
    </ActionForm>
  );
}

export function RequirePassword({ account, actions, onDone, onCancel }: Props) {
  return (
    <ActionForm
      label="Require a new password"
      failure="Nothing was changed"
      run={() => actions.change(account.id, { must_change_password: true })}
      onDone={() => onDone(`${account.name} has to choose a new password at the next login.`)}
      onCancel={onCancel}
    >
      <Text>
        {account.name} is logged out, logs in once more with the present password, and has to choose another one before anything else.
      </Text>
      <Text size="sm" c="dimmed">
        If the password may be known to someone else, reset it instead: then the present one stops working.
      </Text>
    </ActionForm>
  );
}

export function ResetSecondFactor({ account, actions, onDone, onCancel }: Props) {
  const [reason, setReason] = useState("");
  return (
    <ActionForm
      label="Reset the second factor"
      dangerous
      failure="The second factor was not reset"
      ready={resetSecondFactorRequestSchema.safeParse({ reason }).success}
      run={() => actions.resetSecondFactor(account.id, reason.trim())}
      onDone={() => onDone(`${account.name} now logs in with the password alone.`)}
      onCancel={onCancel}
    >
      <Alert color="red" title="The password alone will open this admin account">
        The authenticator and all backup codes of {account.name} stop working, and every session ends. Until a new second factor is set up,
        whoever knows the password is in. Make sure that it really is {account.name} who asks: call back on a number you know.
      </Alert>
      <TextInput
        label="Reason"
        description="Kept in the audit, with your name"
        placeholder="Lost phone; identity confirmed by a call back"
        maxLength={500}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ActionForm>
  );
}

export function DeleteAccount({ account, actions, onDone, onCancel }: Props) {
  const [typed, setTyped] = useState("");
  return (
    <ActionForm
      label="Delete for good"
      dangerous
      failure="The account was not deleted"
      ready={confirmsEmail(typed, account.email)}
      run={() => actions.remove(account.id)}
      onDone={() => onDone(`${account.email} is deleted.`)}
      onCancel={onCancel}
    >
      <Text>
        The account of {account.name} is gone at once, with its sessions and its second factor. What the audit says of it stays. This can't
        be undone; to only keep someone out, disable the account.
      </Text>
      <TextInput
        label={`Type ${account.email} to confirm`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ActionForm>
  );
}
