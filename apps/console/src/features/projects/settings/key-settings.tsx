import { Paper, Stack, Badge, Group } from "@mantine/core";
import type { Project, ApiKey } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { PanelList, Section } from "#ui/kit/panel.tsx";
import { useChange } from "#http/use-change.ts";
import { apiKeysQuery, revokeApiKey } from "#features/projects/api/api-keys.ts";
import { CreateApiKey, SCOPES } from "./create-api-key.tsx";
import { ForOwners } from "./owners-only.tsx";
import { RevocableTable } from "#ui/kit/revocable-table.tsx";

export function KeySettings({ project }: { readonly project: Project }) {
  return (
    <ForOwners project={project} what="see, make and revoke its API keys">
      <Keys project={project} />
    </ForOwners>
  );
}

function Keys({ project }: { readonly project: Project }) {
  const keys = useQuery(apiKeysQuery(project.id));
  return (
    <Stack gap="lg">
      <Section title="Create an API key">
        <CreateApiKey projectId={project.id} />
      </Section>
      <Paper component="section" aria-label="API keys">
        <PanelList
          query={keys}
          items={keys.data}
          failed="The API keys could not be loaded"
          empty="No API keys yet. Applications with the SDK need none: they send through Redis."
        >
          {(items) => <ApiKeyTable projectId={project.id} keys={items} />}
        </PanelList>
      </Paper>
    </Stack>
  );
}

function ApiKeyTable({ projectId, keys }: { readonly projectId: string; readonly keys: readonly ApiKey[] }) {
  const revocation = useChange({
    send: (id: string) => revokeApiKey(projectId, id),
    refreshes: [apiKeysQuery(projectId).queryKey],
    failed: "The API key still works",
  });
  return (
    <RevocableTable
      what="API key"
      label="API keys"
      rows={keys.map((key) => ({ ...key, opens: <Scopes scopes={key.scopes} /> }))}
      revocation={revocation}
      warning={(name) => `Every application that uses “${name}” is refused within ten seconds.`}
    />
  );
}

function Scopes({ scopes }: Pick<ApiKey, "scopes">) {
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} size="sm" variant="default" tt="none" fw={500}>
          {SCOPES[scope].label}
        </Badge>
      ))}
    </Group>
  );
}
