import { Stack, Text } from "@mantine/core";
import { CopyableBlock } from "#ui/copyable.tsx";
import { CODE, environmentFor, exporterEnvironment } from "#features/projects/snippet.ts";

/** How an application sends its traces to this project. */
export function SendTraces({ projectId }: { readonly projectId: string }) {
  return (
    <Stack gap="xs">
      <Text size="sm" fw={550}>
        In your agent's environment
      </Text>
      <CopyableBlock text={environmentFor(projectId, window.location.hostname)} label="the environment variables" />
      <Text size="xs" c="dimmed">
        The Redis address is the one that Sightline itself uses; yours differs when it runs with OBSERVABILITY_REDIS_URL or
        SIGHTLINE_REDIS_PORT set: the lines it prints at its start say which.
      </Text>
      <Text size="sm" fw={550} mt="xs">
        In its code
      </Text>
      <CopyableBlock text={CODE} label="the code" />
      <Text size="sm" fw={550} mt="xs">
        Or with any OpenTelemetry exporter
      </Text>
      <CopyableBlock text={exporterEnvironment(window.location.hostname)} label="the exporter's environment variables" />
      <Text size="xs" c="dimmed">
        With an API key of this project; its owners make one in the project's settings.
      </Text>
    </Stack>
  );
}
