import { Stack, Text } from "@mantine/core";
import { useQuery, queryOptions } from "@tanstack/react-query";
import { Dimmed } from "#ui/kit/dimmed.tsx";
import { answerTo } from "#http/queries.ts";
import { observability } from "#http/calls.ts";
import { PYTHON, TYPESCRIPT, environmentFor, exporterEnvironment, redisNotes, type LanguageSetUp } from "#features/projects/snippet.ts";
import { reachableAddress } from "#http/reachable-address.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { TabsOf } from "#ui/kit/tabs-of.tsx";
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
      <TabsOf
        space="sm"
        tabs={[
          { id: "python", label: "Python", content: <InLanguage language={PYTHON} /> },
          { id: "typescript", label: "TypeScript", content: <InLanguage language={TYPESCRIPT} /> },
          { id: "opentelemetry", label: "OpenTelemetry", content: <Exporter otlpUrl={intake.data.otlp_url} /> },
        ]}
      />
    </Stack>
  );
}

function InLanguage({ language: { install, file, code, run } }: { readonly language: LanguageSetUp }) {
  return (
    <Stack gap="xs">
      <Heading>Install the SDK, served by this console</Heading>
      <CopyableBlock text={install(window.location.origin)} label="the command that installs the SDK" />
      <Heading>{`Save this as ${file}`}</Heading>
      <CopyableBlock text={code} label="the code" />
      <CopyableBlock text={run} label="the command that runs it" />
    </Stack>
  );
}

function Exporter({ otlpUrl }: { readonly otlpUrl: string }) {
  return (
    <Stack gap="xs">
      <Heading>Any exporter over HTTP, in any language</Heading>
      <CopyableBlock text={exporterEnvironment(reachableAddress(window.location, otlpUrl))} label="the exporter's environment variables" />
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
