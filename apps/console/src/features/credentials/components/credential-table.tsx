import { Alert, Button, Group, Modal, Stack, Table, Text, TextInput, VisuallyHidden } from "@mantine/core";
import type { Credential } from "@sightline/code-index/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { useApi } from "#http/api-context.ts";
import { FailedChange } from "#ui/kit/failed-change.tsx";
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
      <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Credentials" } }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Host</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th w={270}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {credentials.map((credential) => (
              <Table.Tr key={credential.id}>
                <Table.Td>
                  <Text fw={550}>{credential.name}</Text>
                  <Text size="xs" c="dimmed">
                    {KINDS[credential.kind].label}
                  </Text>
                </Table.Td>
                <Table.Td>{credential.host}</Table.Td>
                <Table.Td>
                  <LastUse credential={credential} />
                </Table.Td>
                <Table.Td>
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
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={TITLES[intent?.kind ?? "test"]}
        closeButtonProps={{ "aria-label": "Close" }}
        centered
      >
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
  return credential.last_used_at === null ? (
    <Text inherit c="dimmed">
      never
    </Text>
  ) : (
    <TimeStamp at={credential.last_used_at} />
  );
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
  const api = useApi();
  const queries = useQueryClient();
  const [address, setAddress] = useState("");
  const test = useMutation({
    mutationFn: () => testCredential(api, credential.id, address.trim()),
    onSuccess: () => queries.invalidateQueries({ queryKey: credentialsQuery(api).queryKey }),
  });

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    test.mutate();
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Clone URL"
          description={`Of a repository on ${credential.host} that “${credential.name}” should open`}
          placeholder={
            credential.kind === "deploy_key" ? `git@${credential.host}:acme/webshop.git` : `https://${credential.host}/acme/webshop.git`
          }
          value={address}
          data-autofocus
          spellCheck={false}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        {test.error !== null && (
          <Alert color="red" role="alert" title="It could not be tried">
            {test.error.message}
          </Alert>
        )}
        {test.data !== undefined && !test.isPending && (
          <Alert
            color={test.data.ok ? "green" : "red"}
            role={test.data.ok ? "status" : "alert"}
            title={test.data.ok ? "It works" : "It does not work"}
          >
            {test.data.message}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" loading={test.isPending} disabled={address.trim() === ""}>
            Test
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ReplaceSecret({ credential, onClose }: DialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  const [secret, setSecret] = useState("");
  const replace = useMutation({
    mutationFn: () => replaceSecret(api, credential.id, credential.kind === "token" ? secret.trim() : secret),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: credentialsQuery(api).queryKey });
      onClose();
    },
  });

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    replace.mutate();
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FailedChange error={replace.error} title="The secret was not replaced" />
        <Text size="sm">“{credential.name}” uses the new secret from the next fetch on; the old one is gone.</Text>
        <SecretField kind={credential.kind} value={secret} onChange={(event) => setSecret(event.currentTarget.value)} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={replace.isPending} disabled={secret.trim() === ""}>
            Replace
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DeleteCredential({ credential, onClose }: DialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteCredential(api, credential.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: credentialsQuery(api).queryKey });
      onClose();
    },
  });
  return (
    <Stack gap="md">
      <FailedChange error={remove.error} title="The credential was not deleted" />
      <Text>Repositories that need “{credential.name}” can't be fetched any more. What is indexed of them stays searchable.</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </Button>
      </Group>
    </Stack>
  );
}
