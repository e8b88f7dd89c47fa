import { Button, TextInput } from "@mantine/core";
import { IconGitBranch, IconPlus, IconSearch } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMe } from "#features/auth/api/me.ts";
import { credentialsQuery } from "#features/credentials/api/credentials.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { RegisterModal } from "#features/repositories/components/register-form.tsx";
import { RepositoryTable } from "#features/repositories/components/repository-table.tsx";
import { EmptyPanel, ListOf, NoMatch } from "#ui/kit/list-states.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useTypedFilter } from "#ui/query/use-typed.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/code/repos");

export function RepositoriesPage() {
  const { register: asked, q } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (next: { readonly register?: string | undefined; readonly q?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  const ask = (wanted: boolean) => show({ register: wanted ? "1" : undefined });
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
      <RepositoryList admin={admin} register={register} q={q} onFilter={(typed) => show({ q: typed })} />
      <RegisterModal opened={admin && asked !== undefined} credentials={credentials.data ?? []} onClose={() => ask(false)} />
    </Page>
  );
}

/** More than a screen shows. */
const MANY = 12;

type RepositoryListProps = {
  readonly admin: boolean;
  readonly register: ReactNode;
  readonly q: string | undefined;
  readonly onFilter: (q: string | undefined) => void;
};

function RepositoryList({ admin, register, q, onFilter }: RepositoryListProps) {
  const repositories = useQuery(repositoriesQuery);
  const all = repositories.data;
  const filter = useTypedFilter(q, onFilter);
  const wanted = q?.toLowerCase() ?? "";
  return (
    <>
      {(q !== undefined || (all?.length ?? 0) > MANY) && (
        <TextInput
          mb="md"
          maw={340}
          aria-label="Name of the repository"
          placeholder="Filter by name"
          leftSection={<IconSearch size={15} />}
          maxLength={200}
          {...typedInto(filter.text, (text) => filter.type(text))}
        />
      )}
      <ListOf
        list={repositories}
        items={all?.filter(({ full_name: name }) => name.toLowerCase().includes(wanted))}
        failed="The repositories could not be loaded"
        empty={
          all !== undefined && all.length > 0 ? (
            <NoMatch
              title="Nothing matches"
              description="No repositories match."
              all="Show all repositories"
              onAll={() => onFilter(undefined)}
            />
          ) : (
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
          )
        }
      >
        {(items) => <RepositoryTable repositories={items} admin={admin} />}
      </ListOf>
    </>
  );
}
