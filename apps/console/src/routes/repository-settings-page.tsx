import { Alert, Anchor, Button, Paper, Stack, Text, Title } from "@mantine/core";
import { IconGitBranch } from "@tabler/icons-react";
import type { Repository } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMe } from "#features/auth/api/me.ts";
import { credentialsQuery } from "#features/credentials/api/credentials.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { DeleteRepository } from "#features/repositories/components/delete-repository.tsx";
import { IndexState } from "#features/repositories/components/index-state.tsx";
import { PathCoverage } from "#features/repositories/components/path-coverage.tsx";
import { RepositorySettings } from "#features/repositories/components/repository-settings.tsx";
import { WebhookSecret } from "#features/repositories/components/webhook-secret.tsx";
import { WebhookRecipe } from "#features/webhooks/components/webhook-recipe.tsx";
import { FailureReason } from "#ui/words/failure-reason.tsx";
import { EmptyPanel, Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

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
      <PageHeader title="Repository" description="Its index, and what is set up for it." />
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
  const [owner = "", repo = ""] = repository.full_name.split("/");
  return (
    <Page>
      <PageHeader title={repository.full_name} description={repository.clone_url}>
        <Button component={Link} to="/code/jobs" search={{ repository: repository.id }} variant="default">
          Jobs
        </Button>
        {repository.indexed_commit !== null && (
          <Button component={Link} to="/code/$owner/$repo" params={{ owner, repo }} variant="default">
            Browse the code
          </Button>
        )}
      </PageHeader>
      <Stack gap="lg">
        {repository.last_error !== null && (
          <Alert color="red" role="alert" title="What went wrong last">
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
                Takes the repository and its index away. Its source is not touched.
              </Text>
              <DeleteRepository repository={repository} onDeleted={() => void navigate({ to: "/code/repos" })} />
            </Section>
          </>
        )}
      </Stack>
    </Page>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper p="lg" component="section">
      <Title order={2} mb="md">
        {title}
      </Title>
      {children}
    </Paper>
  );
}
