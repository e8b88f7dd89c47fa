import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { MAX_VARIANTS } from "@sightline/observability/contract";
import { useState } from "react";
import { datasetsQuery } from "#features/datasets/api/datasets.ts";
import { AddToDataset } from "#features/datasets/components/add-to-dataset.tsx";
import { connectionsQuery } from "#features/judges/api/judges.ts";
import { PlayDataset } from "#features/playground/components/play-dataset.tsx";
import { Variant } from "#features/playground/components/variant.tsx";
import { type Draft, draftOfPrompt, toDraft, toTemplate, variablesOf } from "#features/playground/draft.ts";
import { promptVersionQuery } from "#features/prompts/api/prompts.ts";
import { PromptEditor, readConfig } from "#features/prompts/components/prompt-editor.tsx";
import { observationQuery } from "#features/traces/api/trace.ts";
import { useWholeValue } from "#features/traces/api/use-whole-value.ts";
import { Section } from "#ui/kit/panel.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/playground");

const EMPTY = [{ role: "user", content: "Hello" }];

/** A recorded model call or a prompt, changed and made again in variants side by side. */
export function PlaygroundPage() {
  const { projectId } = route.useParams();
  const { trace: traceId = "", step = "", prompt = "", version: number } = route.useSearch();
  const recorded = useQuery({ ...observationQuery(projectId, traceId, step), enabled: step !== "" });
  const version = useQuery({ ...promptVersionQuery(projectId, prompt, Number(number)), enabled: prompt !== "" });
  const connections = useQuery(connectionsQuery(projectId));
  const datasets = useQuery(datasetsQuery(projectId));
  const navigate = route.useNavigate();
  const input = useWholeValue({ projectId, traceId }, recorded.data?.input);
  const [changed, setDrafts] = useState<readonly Draft[]>();
  const [doing, setDoing] = useState<{ readonly traceId: string } | { readonly draft: Draft } | "dataset">();
  const configOf = ({ model, parameters }: Draft) => ({ ...version.data?.config, model, ...readConfig(parameters) });
  const close = () => setDoing(undefined);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const asked = [...(step === "" ? [] : [recorded]), ...(prompt === "" ? [] : [version]), connections];
  const missing = asked.find(({ data }) => data === undefined);
  const [connectionId] = connections.data?.map(({ id }) => id) ?? [];
  const drafts = changed ?? [
    version.data === undefined ? toDraft(connectionId, recorded.data?.model, input ?? EMPTY) : draftOfPrompt(connectionId, version.data),
  ];
  return (
    <WidePage>
      <PageHeader title="Playground">
        <Button variant="default" disabled={missing !== undefined || !datasets.data?.length} onClick={() => setDoing("dataset")}>
          Run over a dataset
        </Button>
        <Button variant="default" disabled={drafts.length >= MAX_VARIANTS} onClick={() => setDrafts([...drafts, ...drafts.slice(-1)])}>
          Add a variant
        </Button>
      </PageHeader>
      {missing !== undefined && <Unanswered query={missing} failed="The call could not be loaded" />}
      {connections.data?.length === 0 && <Dimmed>No connection to a model: an owner adds one in Settings, Models.</Dimmed>}
      {missing === undefined && (
        <Stack gap="lg">
          {variablesOf(drafts).length > 0 && (
            <Section title="Variables">
              <Group align="flex-start">
                {variablesOf(drafts).map((name) => (
                  <Textarea
                    key={name}
                    label={name}
                    flex="1 1 240px"
                    autosize
                    maxRows={8}
                    {...typedInto(values[name] ?? "", (value) => setValues({ ...values, [name]: value }))}
                  />
                ))}
              </Group>
            </Section>
          )}
          <Group align="stretch">
            {drafts.map((draft, at) => (
              <Variant
                key={at}
                projectId={projectId}
                title={`Variant ${at + 1}`}
                draft={draft}
                values={values}
                connections={connections.data ?? []}
                onChange={(next) => setDrafts(drafts.map((each, place) => (place === at ? next : each)))}
                saves={version.data === undefined ? "Save as prompt" : "Save as version"}
                onSave={() => setDoing({ draft })}
                onAdd={(made) => setDoing({ traceId: made })}
              />
            ))}
          </Group>
        </Stack>
      )}
      {typeof doing === "object" && "traceId" in doing && <AddToDataset projectId={projectId} traceIds={[doing.traceId]} onClose={close} />}
      {typeof doing === "object" && "draft" in doing && (
        <PromptEditor
          projectId={projectId}
          version={version.data}
          draft={{ template: toTemplate(doing.draft, version.data?.template), config: configOf(doing.draft) }}
          onSaved={close}
          onClose={close}
        />
      )}
      {doing === "dataset" && (
        <PlayDataset
          projectId={projectId}
          drafts={drafts}
          datasets={datasets.data ?? []}
          onStarted={([baseline, experimentId = baseline]) =>
            void navigate({
              to: "/projects/$projectId/experiments/$experimentId",
              params: { projectId, experimentId: experimentId ?? "" },
              search: experimentId === baseline ? {} : { baseline },
            })
          }
          onClose={close}
        />
      )}
    </WidePage>
  );
}
