import { Badge, Group } from "@mantine/core";
import type { ApiKey } from "@sightline/observability/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { apiKeysQuery, revokeApiKey } from "#features/projects/api/api-keys.ts";
import { RevocableTable } from "#ui/revocable-table.tsx";

export function ApiKeyTable({ projectId, keys }: { readonly projectId: string; readonly keys: readonly ApiKey[] }) {
  const api = useApi();
  const queries = useQueryClient();
  return (
    <RevocableTable
      what="API key"
      label="API keys"
      opensLabel="May"
      rows={keys.map((key) => ({ ...key, opens: <Scopes scopes={key.scopes} /> }))}
      revoke={async (id) => {
        await revokeApiKey(api, projectId, id);
        await queries.invalidateQueries({ queryKey: apiKeysQuery(api, projectId).queryKey });
      }}
      warning={(name) => `Every application that uses “${name}” is refused within ten seconds.`}
    />
  );
}

function Scopes({ scopes }: Pick<ApiKey, "scopes">) {
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} size="sm" variant="default" tt="none" fw={500}>
          {scope === "ingest" ? "send" : "read"}
        </Badge>
      ))}
    </Group>
  );
}
