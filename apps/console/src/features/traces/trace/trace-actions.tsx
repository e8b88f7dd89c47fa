import { ActionIcon, Button, Group, Menu, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ProjectRole, TraceDigest } from "@sightline/observability/contract";
import { IconDotsVertical, IconDownload, IconHash, IconLink, IconMessageQuestion, IconStar, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { wholeTrace } from "#features/traces/api/trace.ts";
import { DeleteDialog, ScoreDialog } from "#features/traces/changes/change-dialogs.tsx";
import { assistantPrompt } from "./assistant-prompt.ts";
import { useChange } from "#http/use-change.ts";
import { saveJson } from "#ui/kit/save-file.ts";

type TraceActionsProps = {
  readonly projectId: string;
  readonly trace: TraceDigest;
  readonly stepId: string | undefined;
  /** The reader's role; undefined while it is not known. */
  readonly role: ProjectRole | undefined;
  /** When the trace is gone. */
  readonly onDeleted: () => void;
};

/** The things that can be done with a trace on its page. */
export function TraceActions({ projectId, trace, stepId, role, onDeleted }: TraceActionsProps) {
  const [dialog, setDialog] = useState<"score" | "delete">();
  const one = { projectId, choice: { count: 1, ids: [trace.id] }, onClose: () => setDialog(undefined) };
  const save = useChange({
    send: () => wholeTrace(projectId, trace.id),
    failed: "The trace could not be saved",
    onSuccess(whole) {
      saveJson(whole, `trace-${trace.id}.json`);
      if (whole.truncated) {
        notifications.show({
          title: "Saved, but not all of it",
          message: "The trace is larger than one answer; the list's export has all of it.",
        });
      }
    },
  });
  return (
    <Group gap={6} wrap="nowrap">
      <Tooltip label="For your assistant: which trace and step it is about, and the tools to read them with">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconMessageQuestion size={15} />}
          onClick={() => void copy(assistantPrompt({ trace, projectId, stepId }), "The prompt for your assistant")}
        >
          Copy prompt
        </Button>
      </Tooltip>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More actions" loading={save.isPending}>
            <IconDotsVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconLink size={15} />} onClick={() => void copy(window.location.href, "The link")}>
            Copy the link
          </Menu.Item>
          <Menu.Item leftSection={<IconHash size={15} />} onClick={() => void copy(trace.id, "The id")}>
            Copy the id
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={15} />} onClick={() => save.mutate()}>
            Export as JSON
          </Menu.Item>
          {(role === "editor" || role === "owner") && (
            <Menu.Item leftSection={<IconStar size={15} />} onClick={() => setDialog("score")}>
              Score…
            </Menu.Item>
          )}
          {role === "owner" && (
            <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={() => setDialog("delete")}>
              Delete…
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === "score" && <ScoreDialog {...one} />}
      {dialog === "delete" && <DeleteDialog {...one} onDeleted={onDeleted} />}
    </Group>
  );
}

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notifications.show({ message: `${what} is copied.` });
  } catch {
    notifications.show({ color: "red", title: `${what} could not be copied`, message: text });
  }
}
