import { Alert, Text, TextInput } from "@mantine/core";
import type { AccountItem } from "@sightline/identity/contract";
import { useState } from "react";
import type { AccountActions } from "#features/users/api/account-actions.ts";
import { ActionForm } from "./action-form.tsx";
import { RoleChoice } from "./create-account.tsx";

export function EditAccount({
  account,
  own,
  actions,
  onDone,
  onCancel,
}: {
  readonly account: AccountItem;
  readonly own: boolean;
  readonly actions: AccountActions;
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
}) {
  const [name, setName] = useState(account.name);
  const [role, setRole] = useState(account.role);
  const newName = name.trim() !== account.name;
  const newRole = role !== account.role;
  return (
    <ActionForm
      label="Save"
      failure="Nothing was changed"
      ready={name.trim() !== "" && (newName || newRole)}
      run={() => actions.change(account.id, { ...(newName ? { name: name.trim() } : {}), ...(newRole ? { role } : {}) })}
      onDone={({ name: saved }) => onDone(`${saved} is saved.`)}
      onCancel={onCancel}
    >
      <Text size="sm" c="dimmed">
        {account.email}
      </Text>
      <TextInput
        label="Name"
        maxLength={200}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {own ? (
        <Text size="sm" c="dimmed">
          Your role is another admin's to change.
        </Text>
      ) : (
        <RoleChoice role={role} onChange={setRole} />
      )}
      {newRole && (
        <Alert color="yellow">
          A new role ends the sessions of {account.name}, who then logs in again.
          {role === "member" && account.totp_enabled && " The second factor is removed, since members have none."}
        </Alert>
      )}
    </ActionForm>
  );
}
