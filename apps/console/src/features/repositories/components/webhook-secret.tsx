import { Alert, Button, Group, Text, Title } from "@mantine/core";
import type { Repository } from "@sightline/code-index/contract";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { changeRepository, repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { FailedChange } from "#ui/kit/failed-change.tsx";

const BYTES = 32;

/** A webhook secret of the repository's own, which is shown when it is made and never again. */
export function WebhookSecret({ repository }: { readonly repository: Repository }) {
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
