import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { credentialsQuery } from "#features/credentials/api/credentials.ts";
import { AddCredential } from "#features/credentials/components/add-credential.tsx";
import { CredentialTable } from "#features/credentials/components/credential-table.tsx";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

export function CredentialsPage() {
  const [opened, { open, close }] = useDisclosure(false);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Add a credential
    </Button>
  );
  return (
    <Page>
      <PageHeader title="Credentials" description="Used to fetch private repositories: the repository's own, or else the one for its host.">
        {add}
      </PageHeader>
      <CredentialList add={add} />
      <Modal opened={opened} onClose={close} title="Add a credential">
        <AddCredential onDone={close} onCancel={close} />
      </Modal>
    </Page>
  );
}

function CredentialList({ add }: { readonly add: ReactNode }) {
  const credentials = useQuery(credentialsQuery);
  return (
    <ListOf
      list={credentials}
      items={credentials.data}
      failed="The credentials could not be loaded"
      empty={
        <EmptyPanel
          icon={<IconKey />}
          title="No credential yet"
          description="Public repositories need none. For private ones add an access token, a deploy key or a GitHub App that may read them."
        >
          {add}
        </EmptyPanel>
      }
    >
      {(items) => <CredentialTable credentials={items} />}
    </ListOf>
  );
}
