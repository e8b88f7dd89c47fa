import { Alert, Box, Button, Group, Modal, Text, TextInput } from "@mantine/core";
import type { Credential } from "@sightline/code-index/contract";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { Failed } from "#ui/kit/failed-change.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ConfirmForm, DialogForm } from "#ui/kit/dialogs.tsx";
import { Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { FailureReason } from "#ui/words/failure-reason.tsx";
import { credentialsQuery, deleteCredential, replaceSecret, testCredential } from "#features/credentials/api/credentials.ts";
import { KINDS } from "#features/credentials/credential-kinds.ts";
import { SecretField } from "./add-credential.tsx";

type Intent = { readonly kind: keyof typeof ACTIONS; readonly credential: Credential };

/** What can be done to a credential: its button, what that is to a credential of a name, and the dialog it opens. */
const ACTIONS = {
  test: { label: "Test", act: "Test", title: "Try the credential", Form: TestCredential },
  replace: { label: "Replace", act: "Replace the secret of", title: "Replace the secret", Form: ReplaceSecret },
  delete: { label: "Delete", act: "Delete", title: "Delete this credential?", Form: DeleteCredential },
} as const;
const KINDS_OF_ACTION = ["test", "replace", "delete"] as const;

export function CredentialTable({ credentials }: { readonly credentials: readonly Credential[] }) {
  const [intent, setIntent] = useState<Intent>();
  const [opened, setOpened] = useState(false);
  const { title, Form } = ACTIONS[intent?.kind ?? "test"];

  function open(kind: Intent["kind"], credential: Credential): void {
    setIntent({ kind, credential });
    setOpened(true);
  }

  return (
    <>
      <DataTable
        label="Credentials"
        minWidth={760}
        rows={credentials}
        rowKey={({ id }) => id}
        columns={[
          {
            header: "Name",
            render: (credential) => (
              <>
                <Text fw={550}>{credential.name}</Text>
                <Dimmed size="xs">{KINDS[credential.kind].label}</Dimmed>
              </>
            ),
          },
          { header: "Host", render: ({ host }) => host },
          { header: "Last used", render: (credential) => <LastUse credential={credential} /> },
          {
            header: "Actions",
            isHidden: true,
            width: 270,
            render: (credential) => (
              <Group gap="xs" wrap="nowrap" justify="flex-end">
                {KINDS_OF_ACTION.map((kind) => (
                  <Button
                    key={kind}
                    size="xs"
                    variant="default"
                    aria-label={`${ACTIONS[kind].act} ${credential.name}`}
                    onClick={() => open(kind, credential)}
                  >
                    {ACTIONS[kind].label}
                  </Button>
                ))}
              </Group>
            ),
          },
        ]}
      />
      <Modal opened={opened} onClose={() => setOpened(false)} title={title}>
        {intent !== undefined && (
          <Form key={`${intent.kind} ${intent.credential.id}`} credential={intent.credential} onClose={() => setOpened(false)} />
        )}
      </Modal>
    </>
  );
}

function LastUse({ credential }: { readonly credential: Credential }) {
  if (credential.last_error !== null) {
    return (
      <>
        <Status tone="bad">Refused</Status>
        <Box c="dimmed" mt={2} maw="44ch">
          <FailureReason quiet message={credential.last_error} />
        </Box>
      </>
    );
  }
  return <TimeStamp at={credential.last_used_at} none="never" />;
}

type DialogProps = { readonly credential: Credential; readonly onClose: () => void };

function TestCredential({ credential, onClose }: DialogProps) {
  const [address, setAddress] = useState("");
  const test = useChange({ send: () => testCredential(credential.id, address.trim()), refreshes: [credentialsQuery.queryKey] });

  return (
    <DialogForm
      change={test}
      cancel="Close"
      submit="Test"
      disabled={address.trim() === ""}
      onSubmit={() => test.mutate()}
      onCancel={onClose}
    >
      <TextInput
        label="Clone URL"
        description={`Of a repository on ${credential.host} that “${credential.name}” should open`}
        placeholder={
          credential.kind === "deploy_key" ? `git@${credential.host}:acme/webshop.git` : `https://${credential.host}/acme/webshop.git`
        }
        {...typedInto(address, setAddress)}
        data-autofocus
        spellCheck={false}
      />
      <Failed error={test.error} title="The test could not be run" />
      {test.data !== undefined && !test.isPending && (
        <Alert
          color={test.data.ok ? "green" : "red"}
          role={test.data.ok ? "status" : "alert"}
          title={test.data.ok ? "It works" : "It does not work"}
        >
          <FailureReason quiet message={test.data.message} />
        </Alert>
      )}
    </DialogForm>
  );
}

function ReplaceSecret({ credential, onClose }: DialogProps) {
  const [secret, setSecret] = useState("");
  const replace = useChange({
    send: () => replaceSecret(credential.id, credential.kind === "token" ? secret.trim() : secret),
    refreshes: [credentialsQuery.queryKey],
    onRefreshed: onClose,
  });

  return (
    <DialogForm
      change={replace}
      failed="The secret was not replaced"
      submit="Replace"
      disabled={secret.trim() === ""}
      onSubmit={() => replace.mutate()}
      onCancel={onClose}
    >
      <Text size="sm">“{credential.name}” uses the new secret from the next fetch on; the old one is gone.</Text>
      <SecretField kind={credential.kind} value={secret} onChange={(event) => setSecret(event.currentTarget.value)} />
    </DialogForm>
  );
}

function DeleteCredential({ credential, onClose }: DialogProps) {
  const remove = useChange({
    send: () => deleteCredential(credential.id),
    refreshes: [credentialsQuery.queryKey],
    onRefreshed: onClose,
  });
  return (
    <ConfirmForm change={remove} failed="The credential was not deleted" onConfirm={() => remove.mutate()} onClose={onClose}>
      <Text>Repositories that need “{credential.name}” can no longer be fetched. What is already indexed stays searchable.</Text>
    </ConfirmForm>
  );
}
