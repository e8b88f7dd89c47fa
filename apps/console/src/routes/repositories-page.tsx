import { Button, Paper } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconGitBranch, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { RegisterModal } from "#features/repositories/components/register-form.tsx";
import { RepositoryTable } from "#features/repositories/components/repository-table.tsx";
import { useApi } from "#http/api-context.ts";
import { EmptyPanel, ErrorState, LoadingRows } from "#ui/list-states.tsx";
import { PageHeader } from "#ui/page-header.tsx";
import { Page } from "#ui/page.tsx";

export function RepositoriesPage() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Page>
      <PageHeader title="Repositories" description="What people and assistants can search. Each is fetched with git and kept up to date.">
        <Button leftSection={<IconPlus size={16} />} onClick={open}>
          Register a repository
        </Button>
      </PageHeader>
      <RepositoryList onRegister={open} />
      <RegisterModal opened={opened} onClose={close} />
    </Page>
  );
}

function RepositoryList({ onRegister }: { readonly onRegister: () => void }) {
  const repositories = useQuery(repositoriesQuery(useApi()));
  if (repositories.data === undefined) {
    return repositories.error === null ? (
      <LoadingRows height={64} />
    ) : (
      <ErrorState title="The repositories could not be loaded" error={repositories.error} onRetry={() => void repositories.refetch()} />
    );
  }
  if (repositories.data.length === 0) {
    return (
      <Paper>
        <EmptyPanel
          icon={<IconGitBranch />}
          title="No repository yet"
          description="Register one and it is searchable within minutes, here and for every assistant that is connected."
        >
          <Button onClick={onRegister}>Register a repository</Button>
        </EmptyPanel>
      </Paper>
    );
  }
  return (
    <Paper>
      <RepositoryTable repositories={repositories.data} />
    </Paper>
  );
}
