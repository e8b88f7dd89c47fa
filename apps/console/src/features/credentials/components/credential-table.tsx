import { Alert, Button, Group, Modal, Text, TextInput } from "@mantine/core";
import type { Credential } from "@sightline/code-index/contract";
import { useState } from "react";
import { Failed } from "#ui/kit/failed-change.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { ConfirmForm, DialogForm } from "#ui/kit/dialogs.tsx";
import { Status } from "#ui/kit/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { credentialsQuery, deleteCredential, replaceSecret, testCredential } from "#features/credentials/api/credentials.ts";
import { KINDS } from "#features/credentials/credential-kinds.ts";
import { SecretField } from "./add-credential.tsx";

type Intent = { readonly kind: "test" | "replace" | "delete"; readonly credential: Credential };

const TITLES: Readonly<Record<Intent["kind"], string>> = {
  test: "Try the credential",
  replace: "Replace the secret",
  delete: "Delete this credential?",
};

export function CredentialTable({ credentials }: { readonly credentials: readonly Credential[] }) {
  const [intent, setIntent] = useState<Intent>();
  const [opened, setOpened] = useState(false);

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
                <Text size="xs" c="dimmed">
                  {KINDS[credential.kind].label}
                </Text>
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
                <Button size="xs" variant="default" aria-label={`Test ${credential.name}`} onClick={() => open("test", credential)}>
                  Test
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Replace the secret of ${credential.name}`}
                  onClick={() => open("replace", credential)}
                >
                  Replace
                </Button>
                <Button size="xs" variant="default" aria-label={`Delete ${credential.name}`} onClick={() => open("delete", credential)}>
                  Delete
                </Button>
              </Group>
            ),
          },
        ]}
      />
      <Modal opened={opened} onClose={() => setOpened(false)} title={TITLES[intent?.kind ?? "test"]}>
        {intent !== undefined && <Dialog key={`${intent.kind} ${intent.credential.id}`} intent={intent} onClose={() => setOpened(false)} />}
      </Modal>
    </>
  );
}

function LastUse({ credential }: { readonly credential: Credential }) {
  if (credential.last_error !== null) {
    return (
      <>
        <Status tone="bad">Refused</Status>
        <Text size="xs" c="dimmed" mt={2} maw="44ch">
          {credential.last_error}
        </Text>
      </>
    );
  }
  return <TimeStamp at={credential.last_used_at} none="never" />;
}

function Dialog({ intent, onClose }: { readonly intent: Intent; readonly onClose: () => void }) {
  switch (intent.kind) {
    case "test":
      return <TestCredential credential={intent.credential} onClose={onClose} />;
    case "replace":
      return <ReplaceSecret credential={intent.credential} onClose={onClose} />;
    case "delete":
    default:
      return <DeleteCredential credential={intent.credential} onClose={onClose} />;
  }
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
      <Failed error={test.error} title="It could not be tried" />
      {test.data !== undefined && !test.isPending && (
        <Alert
          color={test.data.ok ? "green" : "red"}
          role={test.data.ok ? "status" : "alert"}
          title={test.data.ok ? "It works" : "It does not work"}
        >
          {test.data.message}
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
      <Text>Repositories that need “{credential.name}” can't be fetched any more. What is indexed of them stays searchable.</Text>
    </ConfirmForm>
  );
}
