import { Anchor, Button, Group, Modal, TextInput } from "@mantine/core";
import { type Prompt, PRODUCTION, promptLabelSchema } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { moveLabel, promptsKey, promptVersionsQuery } from "#features/prompts/api/prompts.ts";
import { useChange } from "#http/use-change.ts";
import { DataTable } from "#ui/kit/data-table.tsx";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { ListOf } from "#ui/kit/list-states.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { asSentence } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Labels } from "./labels.tsx";

type VersionListProps = {
  readonly projectId: string;
  readonly prompt: Prompt;
  readonly role: "viewer" | "editor" | "owner";
  readonly nameAuthor: (author: string) => ReactNode;
};

/** Every version: its labels, who made it and why. */
export function VersionList({ projectId, prompt, role, nameAuthor }: VersionListProps) {
  const list = useQuery(promptVersionsQuery(projectId, prompt.id));
  const [labelled, setLabelled] = useState<number>();
  const linkTo = (search: { readonly version: string; readonly show?: string }) => ({
    to: "/projects/$projectId/prompts/$promptId" as const,
    params: { projectId, promptId: prompt.id },
    search,
  });
  return (
    <>
      {labelled !== undefined && (
        <LabelDialog projectId={projectId} prompt={prompt} version={labelled} role={role} onClose={() => setLabelled(undefined)} />
      )}
      <ListOf
        list={list}
        items={list.data?.items}
        failed="The versions could not be loaded"
        empty={<Dimmed p="lg">No versions yet.</Dimmed>}
      >
        {(versions) => (
          <DataTable
            label="Versions"
            minWidth={680}
            highlightOnHover
            rows={versions}
            rowKey={({ version }) => version}
            columns={[
              {
                header: "Version",
                render: ({ version }) => (
                  <Anchor component={Link} fw={550} {...linkTo({ version: String(version) })}>
                    {version}
                  </Anchor>
                ),
              },
              { header: "Labels", render: ({ labels }) => <Labels labels={labels} /> },
              { header: "Why", render: ({ reason }) => (reason === "" ? <Dimmed>no reason given</Dimmed> : <SafeText text={reason} />) },
              { header: "Who", render: ({ author }) => nameAuthor(author) },
              { header: "When", render: ({ made_at: at }) => <TimeStamp at={at} /> },
              {
                header: "What to do",
                isHidden: true,
                isPinned: true,
                align: "right",
                render: ({ version }) => (
                  <Group gap="xs" justify="flex-end" wrap="nowrap">
                    {version > 1 && (
                      <Anchor
                        component={Link}
                        fz="sm"
                        aria-label={`Changes of version ${version}`}
                        {...linkTo({ version: String(version), show: "changes" })}
                      >
                        Changes
                      </Anchor>
                    )}
                    {role !== "viewer" && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={`Label version ${version}`}
                        onClick={() => setLabelled(version)}
                      >
                        Label
                      </Button>
                    )}
                  </Group>
                ),
              },
            ]}
          />
        )}
      </ListOf>
    </>
  );
}

type LabelDialogProps = Pick<VersionListProps, "projectId" | "prompt" | "role"> & {
  readonly version: number;
  readonly onClose: () => void;
};

/** Moves a label to a version, or takes one away. */
function LabelDialog({ projectId, prompt, version, role, onClose }: LabelDialogProps) {
  const own = Object.keys(prompt.labels).filter((label) => prompt.labels[label] === version);
  const [label, setLabel] = useState(role === "owner" && !own.includes(PRODUCTION) ? PRODUCTION : "");
  const [problem, setProblem] = useState<string>();
  const change = useChange({
    send: (move: { readonly label: string; readonly version: number | null }) => moveLabel(projectId, prompt.id, move),
    refreshes: [promptsKey(projectId)],
    onSuccess: onClose,
  });
  const before = prompt.labels[label.trim()];

  function submit(): void {
    const wrong = promptLabelSchema.safeParse(label.trim()).error?.issues[0]?.message;
    setProblem(wrong);
    if (wrong === undefined) {
      change.mutate({ label: label.trim(), version });
    }
  }

  return (
    <Modal opened onClose={onClose} title={`Label version ${version}`}>
      <DialogForm change={change} failed="The label was not moved" submit="Set label" onSubmit={submit} onCancel={onClose}>
        <TextInput
          label="Label"
          description={
            before === undefined || before === version
              ? "Applications that ask for it get this version within a minute. Only owners move production."
              : `Now on version ${before}. Applications get version ${version} within a minute.`
          }
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...typedInto(label, setLabel)}
          error={problem === undefined ? undefined : asSentence(problem)}
        />
        {own.length > 0 && (
          <Group gap="xs">
            {own.map((each) => (
              <Button key={each} size="compact-sm" variant="default" onClick={() => change.mutate({ label: each, version: null })}>
                Remove {each}
              </Button>
            ))}
          </Group>
        )}
      </DialogForm>
    </Modal>
  );
}
