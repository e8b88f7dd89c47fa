import { Stack, Text } from "@mantine/core";
import { CopyableBlock } from "#ui/copyable.tsx";
import { CODE, environmentFor } from "#features/projects/snippet.ts";

/** How an application sends its traces to this project. */
export function SendTraces({ projectId }: { readonly projectId: string }) {
  return (
    <Stack gap="xs">
      <Text size="sm" fw={550}>
        In your agent's environment
      </Text>
      <CopyableBlock text={environmentFor(projectId, window.location.hostname)} label="the environment variables" />
      <Text size="xs" c="dimmed">
        The Redis address is the one that Sightline itself uses; yours differs when it runs with OBSERVABILITY_REDIS_URL set.
      </Text>
      <Text size="sm" fw={550} mt="xs">
        In its code
      </Text>
      <CopyableBlock text={CODE} label="the code" />
    </Stack>
  );
}
