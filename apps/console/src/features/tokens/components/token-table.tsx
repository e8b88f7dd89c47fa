import { Button, Group, Modal, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { DeveloperToken } from "@sightline/code-index/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "#http/api-context.ts";
import { Status } from "#ui/status.tsx";
import { TimeStamp } from "#ui/time-stamp.tsx";
import { revokeToken, tokensQuery } from "#features/tokens/api/tokens.ts";
import { type RepositoryChoice, openedBy } from "#features/tokens/token-scope.ts";

export function TokenTable({
  tokens,
  repositories,
}: {
  readonly tokens: readonly DeveloperToken[];
  /** Undefined until they are known. */
  readonly repositories: readonly RepositoryChoice[] | undefined;
}) {
  const [leaving, setLeaving] = useState<DeveloperToken>();
  return (
    <>
      <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": "Developer tokens" } }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Label</Table.Th>
              <Table.Th>Token</Table.Th>
              <Table.Th>Opens</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th w={120}>Status</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tokens.map((token) => (
              <Table.Tr key={token.id}>
                <Table.Td fw={550}>{token.label}</Table.Td>
                <Table.Td ff="monospace" fz="xs">
                  {token.token_prefix}…
                </Table.Td>
                <Table.Td maw={260}>{openedBy(token, repositories)}</Table.Td>
                <Table.Td>
                  <TimeStamp at={token.created_at} />
                </Table.Td>
                <Table.Td>{token.last_used_at === null ? <Text c="dimmed">never</Text> : <TimeStamp at={token.last_used_at} />}</Table.Td>
                <Table.Td>
                  {token.revoked_at === null ? (
                    <Button size="xs" variant="default" aria-label={`Revoke ${token.label}`} onClick={() => setLeaving(token)}>
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
      <RevokeModal token={leaving} onClose={() => setLeaving(undefined)} />
    </>
  );
}

function RevokeModal({ token, onClose }: { readonly token: DeveloperToken | undefined; readonly onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => revokeToken(api, id),
    onSuccess: () => queries.invalidateQueries({ queryKey: tokensQuery(api).queryKey }),
    onError: (error) => notifications.show({ color: "red", title: "The token still works", message: error.message }),
    onSettled: onClose,
  });
  return (
    <Modal opened={token !== undefined} onClose={onClose} title="Revoke this token?" closeButtonProps={{ "aria-label": "Close" }} centered>
      <Text>Every assistant that uses “{token?.label}” loses its access at once. This can't be undone.</Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button color="red" loading={revoke.isPending} onClick={() => token !== undefined && revoke.mutate(token.id)}>
          Revoke
        </Button>
      </Group>
    </Modal>
  );
}
