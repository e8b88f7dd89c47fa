import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { intakeQuery } from "#features/projects/api/intake.ts";
import { CODE, INSTALL, environmentFor, exporterEnvironment } from "#features/projects/snippet.ts";
import { useApi } from "#http/api-context.ts";
import { reachableAddress } from "#http/reachable-address.ts";
import { CopyableBlock } from "#ui/copyable.tsx";
import { ErrorState, LoadingRows } from "#ui/list-states.tsx";

/** How an application sends its traces to this project. */
export function SendTraces({ projectId }: { readonly projectId: string }) {
  const intake = useQuery(intakeQuery(useApi()));
  if (intake.data === undefined) {
    return intake.error === null ? (
      <LoadingRows rows={3} />
    ) : (
      <ErrorState title="Where to send traces could not be loaded" error={intake.error} onRetry={() => void intake.refetch()} />
    );
  }
  return (
    <Stack gap="xs">
      <Heading>In your agent's environment</Heading>
      <CopyableBlock text={environmentFor(projectId, intake.data)} label="the environment variables" />
      <RedisNotes url={intake.data.redis_url} />
      <Heading>The package</Heading>
      <CopyableBlock text={INSTALL} label="the commands" />
      <Heading>In its code</Heading>
      <CopyableBlock text={CODE} label="the code" />
      <Heading>Or with any OpenTelemetry exporter</Heading>
      <CopyableBlock
        text={exporterEnvironment(reachableAddress(window.location, intake.data.otlp_url))}
        label="the exporter's environment variables"
      />
      <Note>With an API key of this project; its owners make one in the project's settings.</Note>
    </Stack>
  );
}

/** What is to be known of this address, and of no other. */
function RedisNotes({ url }: { readonly url: string }) {
  return (
    <>
      {url.includes("127.0.0.1") && (
        <Note>
          127.0.0.1 is the machine that Sightline runs on. For agents elsewhere give it a Redis that they reach (OBSERVABILITY_REDIS_URL),
          or use an OpenTelemetry exporter.
        </Note>
      )}
      {url.includes("…") && <Note>In the place of “…” goes the user and password of that Redis.</Note>}
    </>
  );
}

function Heading({ children }: { readonly children: string }) {
  return (
    <Text size="sm" fw={550} mt="xs">
      {children}
    </Text>
  );
}

function Note({ children }: { readonly children: string }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  );
}
