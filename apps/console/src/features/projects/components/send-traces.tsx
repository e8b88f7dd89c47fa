import { Stack, Text } from "@mantine/core";
import { useQuery, queryOptions } from "@tanstack/react-query";
import { Dimmed } from "#ui/kit/dimmed.tsx";
import { answerTo } from "#http/queries.ts";
import { observability } from "#http/calls.ts";
import { CODE, INSTALL, PACK, RUN, environmentFor, exporterEnvironment, redisNotes } from "#features/projects/snippet.ts";
import { reachableAddress } from "#http/reachable-address.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { intakeSchema } from "@sightline/observability/contract";

export function SendTraces({ projectId }: { readonly projectId: string }) {
  const intake = useQuery(intakeQuery);
  if (intake.data === undefined) {
    return <Unanswered query={intake} failed="Where to send traces could not be loaded" loading={<LoadingRows rows={3} />} />;
  }
  return (
    <Stack gap="xs">
      <Heading>In your agent's environment, or in a file .env in its folder</Heading>
      <CopyableBlock text={environmentFor(projectId, intake.data)} label="the environment variables" />
      {redisNotes(intake.data).map((note) => (
        <Note key={note}>{note}</Note>
      ))}
      <Heading>The package: made in Sightline's folder</Heading>
      <CopyableBlock text={PACK} label="the command that makes the package" />
      <Heading>… and installed in your agent's</Heading>
      <CopyableBlock text={INSTALL} label="the command that installs the package" />
      <Heading>In its code; to try it, save this as agent.mjs</Heading>
      <CopyableBlock text={CODE} label="the code" />
      <CopyableBlock text={RUN} label="the command that runs it" />
      <Heading>Or with any OpenTelemetry exporter</Heading>
      <CopyableBlock
        text={exporterEnvironment(reachableAddress(window.location, intake.data.otlp_url))}
        label="the exporter's environment variables"
      />
      <Note>With an API key of this project; its owners make one in the project's settings.</Note>
    </Stack>
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
  return <Dimmed size="xs">{children}</Dimmed>;
}

const intakeQuery = queryOptions({
  queryKey: ["intake"],
  queryFn: answerTo(observability.get("/api/v1/intake", { answer: intakeSchema })),
  staleTime: Infinity,
});
