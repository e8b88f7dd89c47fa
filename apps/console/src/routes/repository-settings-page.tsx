import { Alert, Anchor, Button, Paper, Stack, Text, Title, Group } from "@mantine/core";
import { IconGitBranch } from "@tabler/icons-react";
import type { Repository } from "@sightline/code-index/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Section } from "#ui/kit/panel.tsx";
import { useMe } from "#features/auth/api/me.ts";
import { adminsQuery } from "#features/auth/api/sso.ts";
import { useStepUp } from "#features/auth/step-up.ts";
import { GroupRights } from "#features/directory/components/group-rights.tsx";
import { credentialsQuery } from "#features/credentials/api/credentials.ts";
import { repositoriesQuery, deleteRepository, changeRepository } from "#features/repositories/api/repositories.ts";
import { IndexState } from "#features/repositories/components/index-state.tsx";
import { PathCoverage } from "#features/repositories/components/path-coverage.tsx";
import { RepositorySettings } from "#features/repositories/components/repository-settings.tsx";
import { WebhookRecipe } from "#features/webhooks/components/webhook-recipe.tsx";
import { FailureReason } from "#ui/words/failure-reason.tsx";
import { EmptyPanel, Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { Page } from "#ui/page/page.tsx";
import { useApi } from "#http/api-context.ts";
import { DeleteByName } from "#ui/kit/delete-by-name.tsx";
import { useChange } from "#http/use-change.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";

const route = getRouteApi("/signed-in/code/repos/$repositoryId");

/** Everything about one repository but its code. */
export function RepositorySettingsPage() {
  const { repositoryId } = route.useParams();
  const repositories = useQuery(repositoriesQuery);
  const repository = repositories.data?.find(({ id }) => id === repositoryId);
  if (repository !== undefined) {
    return <Settings repository={repository} />;
  }
  return (
    <Page>
      <PageHeader title="Repository" description="Index and settings." />
      {repositories.data === undefined && <Unanswered query={repositories} failed="The repository could not be loaded" />}
      {repositories.data !== undefined && (
        <Paper>
          <EmptyPanel icon={<IconGitBranch />} title="This repository is not here" description="It was deleted, or never registered.">
            <Button component={Link} to="/code/repos">
              All repositories
            </Button>
          </EmptyPanel>
        </Paper>
      )}
    </Page>
  );
}

function Settings({ repository }: { readonly repository: Repository }) {
  const navigate = route.useNavigate();
  const me = useMe();
  const admin = me.role === "admin";
  const credentials = useQuery({ ...credentialsQuery, enabled: admin });
  const withStepUp = useStepUp();
  const admins = useQuery({ ...adminsQuery, enabled: admin });
  return (
    <Page>
      <PageHeader title={repository.full_name} description={repository.clone_url}>
        <Button component={Link} to="/code/jobs" search={{ repository: repository.id }} variant="default">
          Jobs
        </Button>
        {repository.indexed_commit !== null && (
          <Button component={Link} {...codeLink(repository.full_name)} variant="default">
            Browse the code
          </Button>
        )}
      </PageHeader>
      <Stack gap="lg">
        {repository.last_error !== null && (
          <Alert color="red" role="alert" title="Last error">
            <FailureReason message={repository.last_error} quiet />
          </Alert>
        )}
        <Section title="Index">
          <IndexState repository={repository} admin={admin} />
        </Section>
        <Section title="Is this file searchable?">
          <PathCoverage repository={repository} />
        </Section>
        {admin && (
          <>
            <Section title="Settings">
              <RepositorySettings key={repository.id} repository={repository} credentials={credentials.data ?? []} />
            </Section>
            <GroupRights
              of={{ kind: "repository", id: repository.id }}
              isOpen="until given"
              levels={[]}
              others={[{ why: "Admin of your organization", people: admins.data ?? [] }]}
              withStepUp={withStepUp}
            />
            <Section title="Webhook">
              <Stack gap="xl">
                <WebhookRecipe ownSecret={repository.has_webhook_secret} />
                <WebhookSecret repository={repository} />
                <Anchor component={Link} to="/code/webhooks" search={{ repository: repository.id }} size="sm">
                  Deliveries for this repository
                </Anchor>
              </Stack>
            </Section>
            <Section title="Delete">
              <Text size="sm" mb="sm">
                Deletes the repository and its index from Sightline. The source repository is not touched.
              </Text>
              <DeleteRepository repository={repository} onDeleted={() => void navigate({ to: "/code/repos" })} />
            </Section>
          </>
        )}
      </Stack>
    </Page>
  );
}

function DeleteRepository({ repository, onDeleted }: { readonly repository: Repository; readonly onDeleted: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  return (
    <DeleteByName
      what="repository"
      name={repository.full_name}
      remove={() => api.request(deleteRepository(repository.id))}
      onDeleted={async () => {
        onDeleted();
        await queries.invalidateQueries({ queryKey: repositoriesQuery.queryKey });
      }}
    >
      Nobody finds its code from this moment on, and its index, jobs and deliveries are deleted. Its source stays where it is; it can be
      registered again.
    </DeleteByName>
  );
}

const BYTES = 32;

/** A webhook secret of the repository's own, which is shown when it is made and never again. */
function WebhookSecret({ repository }: { readonly repository: Repository }) {
  const [made, setMade] = useState<string>();
  const change = useChange({
    send: (secret: string | null) => changeRepository(repository.id, { webhook_secret: secret }),
    refreshes: [repositoriesQuery.queryKey],
    onSuccess: (_answer, secret) => setMade(secret ?? undefined),
  });
  return (
    <div>
      <Title order={3} mb={4}>
        Secret
      </Title>
      <Text size="sm">
        {repository.has_webhook_secret
          ? "Deliveries for this repository have to be signed with its own secret."
          : "Deliveries are signed with the server's CODEINDEX_WEBHOOK_SECRET, or with a secret of this repository's own."}
      </Text>
      <Group gap="xs" mt="sm">
        <Button variant="default" loading={change.isPending} onClick={() => change.mutate(randomSecret())}>
          {repository.has_webhook_secret ? "Make a new secret" : "Make a secret of its own"}
        </Button>
        {repository.has_webhook_secret && (
          <Button variant="subtle" color="red" disabled={change.isPending} onClick={() => change.mutate(null)}>
            Use the server's
          </Button>
        )}
      </Group>
      <FailedChange error={change.error} title="The secret was not changed" mt="md" />
      {made !== undefined && (
        <Alert color="green" role="status" mt="md" title="Copy it into the host's webhook now: it is not shown again">
          <CopyableBlock text={made} label="the webhook secret" />
        </Alert>
      )}
    </div>
  );
}

function randomSecret(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
