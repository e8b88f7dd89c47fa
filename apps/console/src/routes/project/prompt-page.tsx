import { Button, Group, Tabs } from "@mantine/core";
import type { Prompt, PromptVersion } from "@sightline/observability/contract";
import { IconMessage2X, IconPencil } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { ValueDiff } from "#features/compare/components/value-diff.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { AuthorName } from "#features/projects/components/author-name.tsx";
import { deletePrompt, promptQuery, promptsKey, promptVersionQuery } from "#features/prompts/api/prompts.ts";
import { Labels } from "#features/prompts/components/labels.tsx";
import { PromptEditor } from "#features/prompts/components/prompt-editor.tsx";
import { PromptText } from "#features/prompts/components/prompt-text.tsx";
import { UsageTable } from "#features/prompts/components/usage-table.tsx";
import { VersionList } from "#features/prompts/components/version-list.tsx";
import { useApi } from "#http/api-context.ts";
import { DeleteByName } from "#ui/kit/delete-by-name.tsx";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { PageOfOne } from "./page-skeletons.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/prompts/$promptId");
const TABS = { text: "Prompt", versions: "Versions", changes: "Changes", usage: "Usage" } as const;
const nameAuthor = (author: string) => <AuthorName author={author} />;
const isTab = (text: string | undefined): text is keyof typeof TABS => text !== undefined && text in TABS;

export function PromptPage() {
  const { projectId, promptId } = route.useParams();
  const prompt = useQuery(promptQuery(projectId, promptId));
  return (
    <PageOfOne what="prompt" projectId={projectId} query={prompt} icon={<IconMessage2X />}>
      {(found) => <WholePrompt key={promptId} prompt={found} />}
    </PageOfOne>
  );
}

function WholePrompt({ prompt }: { readonly prompt: Prompt }) {
  const { projectId } = route.useParams();
  const { show, version: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: project } = useQuery(projectQuery(projectId));
  const [isEditing, setEditing] = useState(false);
  const number = Number(wanted ?? prompt.version) || prompt.version;
  const version = useQuery(promptVersionQuery(projectId, prompt.name, number));
  const role = project?.my_role ?? "viewer";
  return (
    <>
      <PageHeader
        title={prompt.name}
        documentTitle={`${prompt.name} · Prompt`}
        description={
          <Group gap="xs">
            Version {number}
            {number !== prompt.version && ` of ${prompt.version}`}
            <Labels labels={version.data?.labels ?? []} />
          </Group>
        }
      >
        {role !== "viewer" && version.data !== undefined && (
          <>
            <Button
              variant="default"
              component={Link}
              to="/projects/$projectId/playground"
              params={{ projectId }}
              search={{ prompt: prompt.name, version: String(number) }}
            >
              Open in playground
            </Button>
            <Button leftSection={<IconPencil size={16} />} onClick={() => setEditing(true)}>
              New version
            </Button>
          </>
        )}
      </PageHeader>
      <Tabs
        value={isTab(show) ? show : "text"}
        keepMounted={false}
        onChange={(tab) => void navigate({ search: (before) => ({ ...before, show: tab ?? undefined }), resetScroll: false })}
      >
        <Tabs.List mb="md">
          {Object.entries(TABS).map(([id, label]) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="text">
          {version.data === undefined ? (
            <Unanswered query={version} failed="The version could not be loaded" />
          ) : (
            <>
              <Dimmed mb="md">
                {version.data.reason === "" ? "" : `${version.data.reason} · `}
                <AuthorName author={version.data.author} />, <TimeStamp at={version.data.made_at} />
              </Dimmed>
              <PromptText version={version.data} />
            </>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="versions">
          <VersionList projectId={projectId} prompt={prompt} role={role} nameAuthor={nameAuthor} />
        </Tabs.Panel>
        <Tabs.Panel value="changes">
          {number < 2 || version.data === undefined ? (
            <Dimmed>The first version changes nothing.</Dimmed>
          ) : (
            <Changes prompt={prompt} version={version.data} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="usage">
          <UsageTable projectId={projectId} prompt={prompt} />
        </Tabs.Panel>
      </Tabs>
      {role !== "viewer" && <DeletePrompt prompt={prompt} />}
      {isEditing && (
        <PromptEditor
          projectId={projectId}
          version={version.data}
          onSaved={() => {
            setEditing(false);
            void navigate({ search: {} });
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  );
}

/** What the version changed of the one before it. */
function Changes({ prompt, version: after }: { readonly prompt: Prompt; readonly version: PromptVersion }) {
  const { projectId } = route.useParams();
  const before = useQuery(promptVersionQuery(projectId, prompt.name, after.version - 1));
  if (before.data === undefined) {
    return <Unanswered query={before} failed="The version before could not be loaded" />;
  }
  const [a, b] = [before.data, after].map(({ template, config }) => ({ template, config }));
  return (
    <>
      <Dimmed mb="sm">
        A is version {before.data.version}, B is version {after.version}.
      </Dimmed>
      <ValueDiff label={`Changes of version ${after.version}`} a={a} b={b} side="input" isModelCall={false} />
    </>
  );
}

function DeletePrompt({ prompt: { id, name } }: { readonly prompt: Prompt }) {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const api = useApi();
  const queries = useQueryClient();
  return (
    <Group justify="flex-end" mt="xl">
      <DeleteByName
        what="prompt"
        name={name}
        remove={() => api.request(deletePrompt(projectId, id))}
        onDeleted={async () => {
          await navigate({ to: "/projects/$projectId/prompts", params: { projectId } });
          await queries.invalidateQueries({ queryKey: promptsKey(projectId) });
        }}
      >
        Permanently deletes all its versions. Applications that ask for it go on with what they last knew, or with their fallback.
      </DeleteByName>
    </Group>
  );
}
