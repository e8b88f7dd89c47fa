import { factorsOfAccount } from "@sightline/identity/contract";
import { Fieldset, MultiSelect, PasswordInput, Select, Stack, Switch, TagsInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { adminsQuery } from "#features/auth/api/sso.ts";
import { typedInto } from "#ui/kit/typed-into.ts";
import type { Settings } from "./company-form.ts";

type FieldsProps = {
  readonly settings: Settings;
  readonly problems: Readonly<Partial<Record<keyof Settings, string>>>;
  readonly onChange: (settings: Settings) => void;
};

const SPLIT = [",", " ", ";"];

/** Where the provider is, and who Sightline is to it. */
export function ProviderFields({ settings, problems, onChange, hasSecret }: FieldsProps & { readonly hasSecret: boolean }) {
  return (
    <Fieldset legend="Provider">
      <Stack gap="md">
        <TextInput
          label="Issuer"
          description="As the provider's own description writes it"
          placeholder="https://login.example.com"
          type="url"
          {...typedInto(settings.issuer, (issuer) => onChange({ ...settings, issuer }))}
          error={problems.issuer}
        />
        <TextInput
          label="Client ID"
          autoComplete="off"
          {...typedInto(settings.client_id, (clientId) => onChange({ ...settings, client_id: clientId }))}
          error={problems.client_id}
        />
        <PasswordInput
          label="Client secret"
          description={
            hasSecret ? "Leave empty to keep the current one. It is never shown again." : "Stored encrypted, and never shown again"
          }
          autoComplete="off"
          visibilityToggleButtonProps={{ "aria-label": "Show the secret" }}
          {...typedInto(settings.client_secret, (secret) => onChange({ ...settings, client_secret: secret }))}
          error={problems.client_secret}
        />
        <TagsInput
          label="Scopes"
          description="Asked for besides openid"
          splitChars={SPLIT}
          value={[...settings.scopes]}
          onChange={(scopes) => onChange({ ...settings, scopes })}
          error={problems.scopes}
        />
      </Stack>
    </Fieldset>
  );
}

/** The fields that say who may sign in, and with which role. */
export function PeopleFields({ settings, problems, onChange }: FieldsProps) {
  return (
    <Fieldset legend="People and roles">
      <Stack gap="md">
        <TagsInput
          label="E-mail domains"
          description="Anyone with a verified address at one of these domains can sign in, once you have proved by a DNS record that the domain is yours."
          placeholder={settings.domains.length === 0 ? "example.com" : ""}
          splitChars={SPLIT}
          value={[...settings.domains]}
          onChange={(domains) => onChange({ ...settings, domains })}
          error={problems.domains}
        />
        <Switch
          label="Make accounts at the first sign-in"
          description="Otherwise an admin makes them, with the same address."
          checked={settings.creates_accounts}
          onChange={({ currentTarget }) => onChange({ ...settings, creates_accounts: currentTarget.checked })}
        />
        <TextInput
          label="Claim with roles or groups"
          description="Empty: admins give roles here, and new accounts are members"
          placeholder="groups"
          {...typedInto(settings.role_claim, (claim) => onChange({ ...settings, role_claim: claim }))}
          error={problems.role_claim}
        />
        {settings.role_claim.trim() !== "" && (
          <>
            <TagsInput
              label="Values that make admins"
              value={[...settings.admin_values]}
              onChange={(values) => onChange({ ...settings, admin_values: values })}
              error={problems.admin_values}
            />
            <TagsInput
              label="Values that make members"
              value={[...settings.member_values]}
              onChange={(values) => onChange({ ...settings, member_values: values })}
              error={problems.member_values}
            />
            <Select
              label="Everybody else"
              data={[
                { value: "member", label: "is a member" },
                { value: "none", label: "is refused" },
              ]}
              allowDeselect={false}
              value={settings.default_role ?? "none"}
              onChange={(role) => onChange({ ...settings, default_role: role === "member" ? "member" : null })}
            />
          </>
        )}
      </Stack>
    </Fieldset>
  );
}

/** What is taken from the provider's word, and whether it is the only way in. */
export function RuleFields({ settings, problems, onChange }: FieldsProps) {
  return (
    <Fieldset legend="Rules">
      <Stack gap="md">
        <Switch
          label="The provider asks everybody for a second factor"
          description="Then a sign-in counts as two factors for your policy. An account with a second factor here is asked for that anyway."
          checked={settings.asks_second_factor}
          onChange={({ currentTarget }) => onChange({ ...settings, asks_second_factor: currentTarget.checked })}
        />
        <Switch
          label="Take addresses that are not marked as verified"
          description="For Entra ID, which does not send this claim. Only where people can't choose their own address there."
          checked={settings.vouches_for_addresses}
          onChange={({ currentTarget }) => onChange({ ...settings, vouches_for_addresses: currentTarget.checked })}
        />
        <Switch
          label="Require company sign-in for these domains"
          description="Passwords and passkeys of their accounts are refused, and sessions that they opened end."
          checked={settings.enforced}
          onChange={({ currentTarget }) => onChange({ ...settings, enforced: currentTarget.checked })}
        />
        {settings.enforced && <EmergencyAdmins settings={settings} problems={problems} onChange={onChange} />}
      </Stack>
    </Fieldset>
  );
}

function EmergencyAdmins({ settings, problems, onChange }: FieldsProps) {
  const admins = useQuery(adminsQuery);
  const fit = admins.data?.filter((user) => factorsOfAccount(user).length > 0) ?? [];
  return (
    <MultiSelect
      label="Admins kept for emergencies"
      description="They keep logging in with password and 2FA; each login is audited."
      placeholder={settings.break_glass.length === 0 ? "Choose at least one" : ""}
      data={fit.map(({ id, email }) => ({ value: id, label: email }))}
      searchable
      nothingFoundMessage="No admin with a second factor"
      value={[...settings.break_glass]}
      onChange={(ids) => onChange({ ...settings, break_glass: ids })}
      error={problems.break_glass}
    />
  );
}
