import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { MAX_VARIANTS } from "@sightline/observability/contract";
import { useState } from "react";
import { AddToDataset } from "#features/datasets/components/add-to-dataset.tsx";
import { connectionsQuery } from "#features/judges/api/judges.ts";
import { Variant } from "#features/playground/components/variant.tsx";
import { type Draft, toDraft } from "#features/playground/draft.ts";
import { PromptEditor } from "#features/prompts/components/prompt-editor.tsx";
import { observationQuery } from "#features/traces/api/trace.ts";
import { useWholeValue } from "#features/traces/api/use-whole-value.ts";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/playground");

const EMPTY = [{ role: "user", content: "Hello" }];

/** A recorded model call, changed and made again in variants side by side. */
export function PlaygroundPage() {
  const { projectId } = route.useParams();
  const { trace: traceId = "", step = "" } = route.useSearch();
  const recorded = useQuery({ ...observationQuery(projectId, traceId, step), enabled: step !== "" });
  const connections = useQuery(connectionsQuery(projectId));
  const input = useWholeValue({ projectId, traceId }, recorded.data?.input);
  const [changed, setDrafts] = useState<readonly Draft[]>();
  const [doing, setDoing] = useState<{ readonly traceId: string } | { readonly draft: Draft }>();
  const close = () => setDoing(undefined);
  const missing = [...(step === "" ? [] : [recorded]), connections].find(({ data }) => data === undefined);
  const drafts = changed ?? [toDraft(connections.data?.[0]?.id, recorded.data?.model, input ?? EMPTY)];
  return (
    <WidePage>
      <PageHeader title="Playground">
        <Button variant="default" disabled={drafts.length >= MAX_VARIANTS} onClick={() => setDrafts([...drafts, ...drafts.slice(-1)])}>
          Add a variant
        </Button>
      </PageHeader>
      {missing !== undefined && <Unanswered query={missing} failed="The call could not be loaded" />}
      {connections.data?.length === 0 && <Dimmed>No connection to a model: an owner adds one in Settings, Models.</Dimmed>}
      {missing === undefined && (
        <Group align="stretch">
          {drafts.map((draft, at) => (
            <Variant
              key={at}
              projectId={projectId}
              title={`Variant ${at + 1}`}
              draft={draft}
              connections={connections.data ?? []}
              onChange={(next) => setDrafts(drafts.map((each, place) => (place === at ? next : each)))}
              onSave={() => setDoing({ draft })}
              onAdd={(made) => setDoing({ traceId: made })}
            />
          ))}
        </Group>
      )}
      {doing !== undefined && "traceId" in doing && <AddToDataset projectId={projectId} traceIds={[doing.traceId]} onClose={close} />}
      {doing !== undefined && "draft" in doing && (
        <PromptEditor
          projectId={projectId}
          draft={doing.draft.messages.map(({ role, text }) => ({ role, content: text }))}
          onSaved={close}
          onClose={close}
        />
      )}
    </WidePage>
  );
}
