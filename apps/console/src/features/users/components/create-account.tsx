import "@mantine/core/styles/Radio.layer.css";
import { Radio, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { type CreateAccountAnswer, createAccountRequestSchema } from "@sightline/identity/contract";
import { useState } from "react";
import { ROLES } from "#features/users/account-state.ts";
import type { AccountActions } from "#features/users/api/account-actions.ts";
import type { Role } from "#features/users/api/accounts.ts";
import { ActionForm } from "./action-form.tsx";

export function CreateAccount({
  actions,
  mailWorks,
  onCreated,
  onCancel,
}: {
  readonly actions: AccountActions;
  /** Undefined while it isn't known. */
  readonly mailWorks: boolean | undefined;
  readonly onCreated: (answer: CreateAccountAnswer) => void;
  readonly onCancel: () => void;
}) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [invite, setInvite] = useState(false);
  const account = { name: name.trim(), email: email.trim(), role, invite: invite && mailWorks === true };
  const valid = createAccountRequestSchema.safeParse(account).success;
  return (
    <ActionForm
      label={account.invite ? "Send the invitation" : "Create the user"}
      failure="The user was not created"
      ready={valid}
      run={() => actions.create(account)}
      onDone={onCreated}
      onCancel={onCancel}
    >
      <TextInput
        label="Name"
        placeholder="Grace Hopper"
        maxLength={200}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="E-mail address"
        type="email"
        placeholder="grace@example.com"
        maxLength={320}
        autoComplete="off"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleChoice role={role} onChange={setRole} />
      <Radio.Group
        label="How they get in"
        value={account.invite ? "invitation" : "password"}
        onChange={(choice) => setInvite(choice === "invitation")}
      >
        <Stack gap="xs" mt={6}>
          <Radio
            value="password"
            label="With a one-time password"
            description="You see it once, and hand it over. They replace it at the first login."
          />
          <Radio
            value="invitation"
            label="By an invitation mail"
            disabled={mailWorks !== true}
            description={
              mailWorks === false
                ? "Not possible here: no mail server is set up (SMTP_URL)."
                : "They choose a password by the link in it; you never see one."
            }
          />
        </Stack>
      </Radio.Group>
    </ActionForm>
  );
}

export function RoleChoice({ role, onChange }: { readonly role: Role; readonly onChange: (role: Role) => void }) {
  return (
    <div>
      <Text size="sm" fw={500} mb={4} id="role-label">
        Role
      </Text>
      <SegmentedControl
        fullWidth
        aria-labelledby="role-label"
        data={[
          { value: "member", label: ROLES.member.label },
          { value: "admin", label: ROLES.admin.label },
        ]}
        value={role}
        onChange={onChange}
      />
      <Text size="xs" c="dimmed" mt={6}>
        {ROLES[role].may}.
      </Text>
    </div>
  );
}
