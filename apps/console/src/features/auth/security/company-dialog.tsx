import "@mantine/core/styles/Fieldset.layer.css";
import "@mantine/core/styles/Pill.layer.css";
import "@mantine/core/styles/PillsInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { Button, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { SaveSsoRequest, Sso } from "@sightline/identity/contract";
import { useState } from "react";
import { saveSso, ssoQuery, testSso } from "#features/auth/api/sso.ts";
import { useStepUp } from "#features/auth/step-up.ts";
import { useChange } from "#http/use-change.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { Failed } from "#ui/kit/failed-change.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { CompanyChecks } from "./company-checks.tsx";
import { PeopleFields, ProviderFields, RuleFields } from "./company-fields.tsx";
import { readSettings, toFormSettings } from "./company-form.ts";

type CompanyDialogProps = {
  readonly sso: Sso | null;
  /** What the provider has to be told. */
  readonly redirectUri: string;
  readonly onClose: () => void;
};

export function CompanyDialog({ sso, redirectUri, onClose }: CompanyDialogProps) {
  const withStepUp = useStepUp();
  const [settings, setSettings] = useState(() => toFormSettings(sso));
  const [checked, setChecked] = useState(false);
  const read = readSettings(settings, sso);
  const problems = checked && "problems" in read ? read.problems : {};
  const test = useChange({ send: (sent: SaveSsoRequest, api) => withStepUp(() => api.request(testSso(sent))) });
  const save = useChange({
    send: (sent: SaveSsoRequest, api) => withStepUp(() => api.request(saveSso(sent))),
    refreshes: [ssoQuery.queryKey],
    onSuccess({ sso: saved }) {
      const isProven = saved?.domain_proofs.every(({ state }) => state !== "waiting") ?? false;
      const message = isProven ? `The login page offers ${saved?.name ?? "it"}.` : "Prove the e-mail domains that are waiting next.";
      notifications.show({ color: "green", title: "Company sign-in saved", message });
      onClose();
    },
  });
  const fields = { settings, problems, onChange: setSettings };

  function withRequest(act: (request: SaveSsoRequest) => void): void {
    setChecked(true);
    if ("request" in read) {
      act(read.request);
    }
  }

  return (
    <Modal opened onClose={onClose} size="lg" title={sso === null ? "Set up company sign-in" : "Change company sign-in"}>
      <DialogForm
        change={save}
        failed="Company sign-in was not saved"
        submit="Save"
        tools={
          <Button variant="default" mr="auto" loading={test.isPending} onClick={() => withRequest((request) => test.mutate(request))}>
            Test
          </Button>
        }
        onSubmit={() => withRequest((request) => save.mutate(request))}
        onCancel={onClose}
      >
        <Stack gap={6}>
          <Text size="sm">Register Sightline at your provider as a web application, with this redirect address:</Text>
          <CopyableBlock text={redirectUri} label="the redirect address" />
        </Stack>
        <TextInput
          label="Name"
          description="The login page says “Continue with…”"
          placeholder="Acme ID"
          maxLength={40}
          data-autofocus
          {...typedInto(settings.name, (name) => setSettings({ ...settings, name }))}
          error={problems.name}
        />
        <ProviderFields {...fields} hasSecret={sso !== null} />
        <PeopleFields {...fields} />
        <RuleFields {...fields} />
        {"problems" in read && checked && (
          <Text size="sm" c="red" role="alert">
            Some fields are not filled in right yet.
          </Text>
        )}
        <Failed error={test.error} title="The provider was not tested" />
        {test.data !== undefined && <CompanyChecks checks={test.data.checks} />}
      </DialogForm>
    </Modal>
  );
}
