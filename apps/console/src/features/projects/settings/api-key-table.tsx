import { Badge, Button, Group, Modal, Table, Text, VisuallyHidden } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ApiKey } from "@sightline/observability/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "#http/api-context.ts";
import { apiKeysQuery, revokeApiKey } from "#features/projects/api/api-keys.ts";
import { Status } from "#ui/status.tsx";
import { TimeStamp } from "#ui/time-stamp.tsx";

export function ApiKeyTable({ projectId, keys }: { readonly projectId: string; readonly keys: readonly ApiKey[] }) {
  const [leaving, setLeaving] = useState<ApiKey>();
  return (
    <>
      <Table.ScrollContainer minWidth={720} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "API keys" } }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Key</Table.Th>
              <Table.Th>May</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th w={110}>
                <VisuallyHidden>Status</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => (
              <Table.Tr key={key.id}>
                <Table.Td fw={550} {...(key.revoked_at === null ? {} : { c: "dimmed" })}>
                  {key.name}
                </Table.Td>
                <Table.Td ff="monospace" fz="xs">
                  {key.prefix}…
                </Table.Td>
                <Table.Td>
                  <Group gap={4}>
                    {key.scopes.map((scope) => (
                      <Badge key={scope} size="sm" variant="default" tt="none" fw={500}>
                        {scope === "ingest" ? "send" : "read"}
                      </Badge>
                    ))}
                  </Group>
                </Table.Td>
                <Table.Td>
                  <TimeStamp at={key.created_at} />
                </Table.Td>
                <Table.Td>{key.last_used_at === null ? <Text c="dimmed">never</Text> : <TimeStamp at={key.last_used_at} />}</Table.Td>
                <Table.Td ta="right">
                  {key.revoked_at === null ? (
                    <Button size="xs" variant="default" aria-label={`Revoke ${key.name}`} onClick={() => setLeaving(key)}>
                      Revoke
                    </Button>
                  ) : (
                    <Status tone="idle">Revoked</Status>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <RevokeModal projectId={projectId} apiKey={leaving} onClose={() => setLeaving(undefined)} />
    </>
  );
}

function RevokeModal({
  projectId,
  apiKey,
  onClose,
}: {
  readonly projectId: string;
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => revokeApiKey(api, projectId, id),
    onSuccess: () => queries.invalidateQueries({ queryKey: apiKeysQuery(api, projectId).queryKey }),
    onError: (error) => notifications.show({ color: "red", title: "The key still works", message: error.message }),
    onSettled: onClose,
  });
  return (
    <Modal
      opened={apiKey !== undefined}
      onClose={onClose}
      title="Revoke this API key?"
      closeButtonProps={{ "aria-label": "Close" }}
      centered
    >
      <Text>Every application that uses “{apiKey?.name}” is refused within ten seconds. This can't be undone.</Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button color="red" loading={revoke.isPending} onClick={() => apiKey !== undefined && revoke.mutate(apiKey.id)}>
          Revoke
        </Button>
      </Group>
    </Modal>
  );
}
