import { SegmentedControl, Text, TextInput } from "@mantine/core";
import { type CreateAccountAnswer, type CreateAccountRequest, createAccountRequestSchema } from "@sightline/identity/contract";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { ROLES } from "#features/users/account-state.ts";
import { type Role, createAccount } from "#features/users/api/accounts.ts";
import { ActionForm, type Asking } from "./action-form.tsx";
import { type PasswordDelivery, PasswordDeliveryChoice } from "./password-delivery.tsx";

type CreateAccountProps = Asking & {
  /** Undefined while it isn't known. */
  readonly mailWorks: boolean | undefined;
  readonly onCreated: (answer: CreateAccountAnswer) => void;
};

export function CreateAccount({ mailWorks, onCreated, ...form }: CreateAccountProps) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [chosen, setChosen] = useState<PasswordDelivery>("mail");
  const delivery = mailWorks === true ? chosen : "password";
  const account = { name: name.trim(), email: email.trim(), role, invite: delivery === "mail" };
  const [checked, setChecked] = useState(false);
  const problems = problemsOf(account);
  return (
    <ActionForm
      {...form}
      label={account.invite ? "Send the invitation" : "Create the user"}
      failure="The user was not created"
      check={() => {
        setChecked(true);
        return Object.keys(problems).length === 0;
      }}
      send={() => createAccount(account)}
      onDone={onCreated}
    >
      <TextInput
        label="Name"
        placeholder="Grace Hopper"
        maxLength={200}
        autoComplete="off"
        data-autofocus
        {...typedInto(name, setName)}
        error={checked && problems.name}
      />
      <TextInput
        label="E-mail address"
        inputMode="email"
        placeholder="grace@example.com"
        maxLength={320}
        autoComplete="off"
        {...typedInto(email, setEmail)}
        error={checked && problems.email}
      />
      <RoleChoice role={role} onChange={setRole} />
      <PasswordDeliveryChoice
        label="How they log in"
        mailLabel="By an invitation mail"
        delivery={delivery}
        mailWorks={mailWorks}
        onChange={setChosen}
      />
    </ActionForm>
  );
}

function problemsOf(account: CreateAccountRequest): { readonly name?: string; readonly email?: string } {
  const wrong = new Set(createAccountRequestSchema.safeParse(account).error?.issues.map(({ path }) => path[0]));
  return {
    ...(wrong.has("name") ? { name: "Fill in a name, without line breaks" } : {}),
    ...(wrong.has("email") ? { email: "Fill in an e-mail address, like grace@example.com" } : {}),
  };
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
      <Dimmed size="xs" mt={6}>
        {ROLES[role].may}.
      </Dimmed>
    </div>
  );
}
