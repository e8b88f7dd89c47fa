import { Button, SegmentedControl, Stack, Text } from "@mantine/core";
import { type Intake, intakeSchema } from "@sightline/observability/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { createApiKey, apiKeysQuery } from "#features/projects/api/api-keys.ts";
import { projectQuery } from "#features/projects/api/projects.ts";
import { LANGUAGES, SET_UPS, type Language, type LanguageSetUp } from "#features/projects/set-ups.ts";
import { environmentFor, exporterEnvironment, redisNotes } from "#features/projects/snippet.ts";
import { observability } from "#http/calls.ts";
import { answerTo } from "#http/queries.ts";
import { reachableAddress } from "#http/reachable-address.ts";
import { useChange } from "#http/use-change.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { TabsOf } from "#ui/kit/tabs-of.tsx";
import { FirstTrace, traceBeforeQuery } from "./first-trace.tsx";
import classes from "./send-traces.module.css";

/** Three steps to an agent's first trace, for each thing that agents are made with; for whoever connects the first one, or another. */
export function SendTraces({ projectId }: { readonly projectId: string }) {
  const intake = useQuery(intakeQuery);
  const newest = useQuery(traceBeforeQuery(projectId));
  const [language, setLanguage] = useState<Language>("python");
  const asked = intake.data === undefined ? intake : newest;
  if (intake.data === undefined || newest.data === undefined) {
    return <Unanswered query={asked} failed="Where to send traces could not be loaded" loading={<LoadingRows rows={3} />} />;
  }
  const { data } = intake;
  const seen = <FirstTrace projectId={projectId} before={newest.data.items[0]?.id} />;
  return (
    <TabsOf
      space="md"
      tabs={[
        ...SET_UPS.map(({ id, label, in: setUps }) => ({
          id,
          label,
          content: (
            <InLanguage projectId={projectId} intake={data} setUps={setUps} language={language} onLanguage={setLanguage} seen={seen} />
          ),
        })),
        {
          id: "opentelemetry",
          label: "OpenTelemetry",
          content: <WithExporter projectId={projectId} otlpUrl={data.otlp_url} seen={seen} />,
        },
      ]}
    />
  );
}

type InLanguageProps = {
  readonly projectId: string;
  readonly intake: Intake;
  readonly setUps: Partial<Record<Language, LanguageSetUp>>;
  readonly language: Language;
  readonly onLanguage: (language: Language) => void;
  /** Waits for the trace. */
  readonly seen: ReactNode;
};

/** What there is for one language alone is shown whichever was chosen. */
function InLanguage({ projectId, intake, setUps, language, onLanguage, seen }: InLanguageProps) {
  const offered = LANGUAGES.filter(({ value }) => setUps[value] !== undefined);
  const setUp = setUps[language] ?? setUps[offered[0]?.value ?? language];
  return (
    <Stack gap="md">
      {offered.length > 1 && (
        <SegmentedControl
          className={classes.fit ?? ""}
          aria-label="Language"
          size="xs"
          data={[...offered]}
          value={language}
          onChange={onLanguage}
        />
      )}
      {setUp !== undefined && <WithSdk projectId={projectId} intake={intake} setUp={setUp} seen={seen} />}
    </Stack>
  );
}

function WithSdk({
  projectId,
  intake,
  setUp,
  seen,
}: Pick<InLanguageProps, "projectId" | "intake" | "seen"> & { readonly setUp: LanguageSetUp }) {
  return (
    <ol className={classes.steps}>
      <Step title="Install the SDK, served by this console">
        <CopyableBlock text={setUp.install(window.location.origin)} label="the command that installs the SDK" />
      </Step>
      <Step title="Save these two files there">
        <Dimmed size="xs">.env, or the same in your agent’s environment; an agent with the SDK needs no API key</Dimmed>
        <CopyableBlock text={environmentFor(projectId, intake, window.location.origin)} label="the environment variables" />
        {redisNotes(intake).map((note) => (
          <Dimmed key={note} size="xs">
            {note}
          </Dimmed>
        ))}
        {setUp.providerKey !== undefined && (
          <Dimmed size="xs">This program calls a model: set {setUp.providerKey} in the environment, too.</Dimmed>
        )}
        <Dimmed size="xs">{setUp.file}</Dimmed>
        <CopyableBlock text={setUp.code} label="the code" />
      </Step>
      <Step title="Run it">
        <CopyableBlock text={setUp.run} label="the command that runs it" />
        {seen}
      </Step>
    </ol>
  );
}

function WithExporter({ projectId, otlpUrl, seen }: Pick<InLanguageProps, "projectId" | "seen"> & { readonly otlpUrl: string }) {
  const project = useQuery(projectQuery(projectId));
  const create = useChange({
    send: () => createApiKey(projectId, { name: "OpenTelemetry exporter", scopes: ["ingest"] }),
    gcTime: 0,
    refreshes: [apiKeysQuery(projectId).queryKey],
    failed: "The API key could not be created",
  });
  const key = create.data?.key;
  return (
    <ol className={classes.steps}>
      <Step title="Create an API key">
        {project.data?.my_role === "owner" ? (
          <Button
            className={classes.fit ?? ""}
            variant="default"
            loading={create.isPending}
            disabled={key !== undefined}
            onClick={() => create.mutate()}
          >
            {key === undefined ? "Create API key" : "Created: it is in the variables below"}
          </Button>
        ) : (
          <Dimmed size="sm">An owner of this project makes one in its settings.</Dimmed>
        )}
      </Step>
      <Step title="Set the exporter’s environment, in any language">
        <CopyableBlock
          text={exporterEnvironment(reachableAddress(window.location, otlpUrl), key)}
          label="the exporter's environment variables"
        />
        {key !== undefined && <Dimmed size="xs">Copy it now: the key is not shown again.</Dimmed>}
      </Step>
      <Step title="Run your application">{seen}</Step>
    </ol>
  );
}

function Step({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <li className={classes.step}>
      <Stack gap="xs" className={classes.content ?? ""}>
        <Text size="sm" fw={550}>
          {title}
        </Text>
        {children}
      </Stack>
    </li>
  );
}

const intakeQuery = queryOptions({
  queryKey: ["intake"],
  queryFn: answerTo(observability.get("/api/v1/intake", { answer: intakeSchema })),
  staleTime: Infinity,
});
