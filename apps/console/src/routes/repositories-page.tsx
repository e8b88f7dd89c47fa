import { Button } from "@mantine/core";
import { IconGitBranch, IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMe } from "#features/auth/api/me.ts";
import { credentialsQuery } from "#features/credentials/api/credentials.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { RegisterModal } from "#features/repositories/components/register-form.tsx";
import { RepositoryTable } from "#features/repositories/components/repository-table.tsx";
import { EmptyPanel, ListOf } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/code/repos");

export function RepositoriesPage() {
  const { register: asked } = route.useSearch();
  const navigate = route.useNavigate();
  const ask = (wanted: boolean) => void navigate({ search: { register: wanted ? "1" : undefined }, replace: true, resetScroll: false });
  const me = useMe();
  const admin = me.role === "admin";
  const credentials = useQuery({ ...credentialsQuery, enabled: admin });
  const register = admin ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => ask(true)}>
      Register a repository
    </Button>
  ) : undefined;
  return (
    <Page>
      <PageHeader title="Repositories" description="What people and assistants can search. Each is fetched with git and kept up to date.">
        {register}
      </PageHeader>
      <RepositoryList admin={admin} register={register} />
      <RegisterModal opened={admin && asked !== undefined} credentials={credentials.data ?? []} onClose={() => ask(false)} />
    </Page>
  );
}

function RepositoryList({ admin, register }: { readonly admin: boolean; readonly register: ReactNode }) {
  const repositories = useQuery(repositoriesQuery);
  return (
    <ListOf
      list={repositories}
      items={repositories.data}
      failed="The repositories could not be loaded"
      empty={
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
      }
    >
      {(items) => <RepositoryTable repositories={items} admin={admin} />}
    </ListOf>
  );
}
