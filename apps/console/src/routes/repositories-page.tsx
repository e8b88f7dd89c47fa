import { Button, Paper } from "@mantine/core";
import { IconGitBranch, IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { meQuery } from "#features/auth/api/me.ts";
import { credentialsQuery } from "#features/credentials/api/credentials.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { RegisterModal } from "#features/repositories/components/register-form.tsx";
import { RepositoryTable } from "#features/repositories/components/repository-table.tsx";
import { useApi } from "#http/api-context.ts";
import { EmptyPanel, ErrorState, LoadingRows } from "#ui/list-states.tsx";
import { PageHeader } from "#ui/page-header.tsx";
import { Page } from "#ui/page.tsx";
import { getRouteApi } from "@tanstack/react-router";

const route = getRouteApi("/signed-in/code/repos");

export function RepositoriesPage() {
  // In the address, so that other places can lead to it.
  const opened = route.useSearch().create !== undefined;
  const navigate = route.useNavigate();
  const open = () => void navigate({ search: { create: "yes" }, resetScroll: false });
  const close = () => void navigate({ search: {}, replace: true, resetScroll: false });
  const api = useApi();
  const { data: me } = useSuspenseQuery(meQuery(api));
  const admin = me.role === "admin";
  const credentials = useQuery({ ...credentialsQuery(api), enabled: admin });
  const register = admin ? (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Register a repository
    </Button>
  ) : undefined;
  return (
    <Page>
      <PageHeader title="Repositories" description="What people and assistants can search. Each is fetched with git and kept up to date.">
        {register}
      </PageHeader>
      <RepositoryList admin={admin} register={register} />
      <RegisterModal opened={opened} credentials={credentials.data ?? []} onClose={close} />
    </Page>
  );
}

function RepositoryList({ admin, register }: { readonly admin: boolean; readonly register: ReactNode }) {
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
          description={
            register === undefined
              ? "When an admin has registered one, you can search it here."
              : "Register one and it is searchable within minutes, here and for every assistant that is connected."
          }
        >
          {register}
        </EmptyPanel>
      </Paper>
    );
  }
  return (
    <Paper>
      <RepositoryTable repositories={repositories.data} admin={admin} />
    </Paper>
  );
}
