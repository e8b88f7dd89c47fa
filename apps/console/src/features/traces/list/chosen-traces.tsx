import { Button, Group, Modal, NumberInput, TagsInput, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { MAX_BULK_TRACES, type ProjectRole } from "@sightline/observability/contract";
import { IconStar, IconTag, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { deleteTraces, keysOfTraces, scoreTraces, tagTraces } from "#features/traces/api/bulk.ts";
import { useApi } from "#http/api-context.ts";
import { encoded } from "#http/calls.ts";
import { useChange } from "#http/use-change.ts";
import { ConfirmDialog, DialogForm } from "#ui/kit/dialogs.tsx";
import { ExportButton } from "#ui/kit/export-button.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { plural } from "#ui/words/format.ts";

type ChosenTracesProps = {
  readonly projectId: string;
  /** The reader's role; undefined while it is not known. */
  readonly role: ProjectRole | undefined;
  readonly chosen: readonly string[];
  readonly onCompare: (first: string, second: string) => void;
  readonly onClear: () => void;
};

/** What can be done to the traces that are chosen in the list. */
export function ChosenTraces({ projectId, role, chosen, onCompare, onClear }: ChosenTracesProps) {
  const api = useApi();
  const [dialog, setDialog] = useState<"tag" | "score" | "delete">();
  const [first = "", second = ""] = chosen;
  const mayEdit = role === "editor" || role === "owner";
  const many = { projectId, ids: chosen, onClose: () => setDialog(undefined) };
  return (
    <Group gap="xs" ml="auto" role="group" aria-label="Chosen traces">
      <Text size="sm">
        {plural(chosen.length, "trace", "traces")} chosen{chosen.length === MAX_BULK_TRACES && ", the most at once"}
      </Text>
      <Button size="compact-sm" disabled={chosen.length !== 2} title="Choose two traces" onClick={() => onCompare(first, second)}>
        Compare
      </Button>
      {mayEdit && (
        <>
          <Button size="compact-sm" variant="default" leftSection={<IconTag size={14} />} onClick={() => setDialog("tag")}>
            Tag…
          </Button>
          <Button size="compact-sm" variant="default" leftSection={<IconStar size={14} />} onClick={() => setDialog("score")}>
            Score…
          </Button>
        </>
      )}
      <ExportButton
        size="compact-sm"
        label="Export chosen"
        name="sightline-traces"
        failed="The traces were not exported"
        download={(signal) =>
          api.download({
            part: "observability",
            path: encoded`/api/v1/projects/${projectId}/export`,
            query: { trace_ids: chosen.join(",") },
            accept: "application/jsonl",
            signal,
          })
        }
      />
      {role === "owner" && (
        <Button size="compact-sm" variant="light" color="red" leftSection={<IconTrash size={14} />} onClick={() => setDialog("delete")}>
          Delete…
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        Clear
      </Button>
      {dialog === "tag" && <TagDialog {...many} />}
      {dialog === "score" && <ScoreDialog {...many} />}
      {dialog === "delete" && <DeleteDialog {...many} onDeleted={onClear} />}
    </Group>
  );
}

type ManyProps = { readonly projectId: string; readonly ids: readonly string[]; readonly onClose: () => void };

/** A change of them all, which tells how many there still were. */
function useChangeOfMany(
  { projectId, onClose }: ManyProps,
  send: Parameters<typeof useChange<{ traces: number }>>[0]["send"],
  done: string,
) {
  return useChange({
    send,
    refreshes: keysOfTraces(projectId),
    onRefreshed: ({ traces }) => {
      notifications.show({ color: "green", message: `${plural(traces, "trace was", "traces were")} ${done}.` });
      onClose();
    },
  });
}

function TagDialog(props: ManyProps) {
  const { projectId, ids, onClose } = props;
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const change = useChangeOfMany(props, () => tagTraces(projectId, { trace_ids: [...ids], add, remove }), "tagged");
  return (
    <Modal opened onClose={onClose} title={`Tag ${plural(ids.length, "trace", "traces")}`}>
      <DialogForm
        change={change}
        failed="The traces were not tagged"
        submit="Save tags"
        disabled={add.length + remove.length === 0}
        onSubmit={() => change.mutate()}
        onCancel={onClose}
      >
        <TagsInput
          label="Add"
          description="Enter ends a tag."
          data-autofocus
          maxTags={20}
          maxLength={200}
          value={add}
          onChange={setAdd}
          acceptValueOnBlur
        />
        <TagsInput
          label="Remove"
          description="Tags that your application sent stay."
          maxTags={20}
          maxLength={200}
          value={remove}
          onChange={setRemove}
          acceptValueOnBlur
        />
      </DialogForm>
    </Modal>
  );
}

function ScoreDialog(props: ManyProps) {
  const { projectId, ids, onClose } = props;
  const [name, setName] = useState("");
  const [value, setValue] = useState<number | string>(1);
  const [comment, setComment] = useState("");
  const change = useChangeOfMany(
    props,
    () =>
      scoreTraces(projectId, {
        trace_ids: [...ids],
        name: name.trim(),
        value: Number(value),
        ...(comment.trim() === "" ? {} : { comment: comment.trim() }),
      }),
    "scored",
  );
  return (
    <Modal opened onClose={onClose} title={`Score ${plural(ids.length, "trace", "traces")}`}>
      <DialogForm
        change={change}
        failed="The traces were not scored"
        submit="Score"
        disabled={name.trim() === "" || value === ""}
        onSubmit={() => change.mutate()}
        onCancel={onClose}
      >
        <TextInput label="Name" placeholder="helpful" maxLength={200} data-autofocus {...typedInto(name, setName)} />
        <NumberInput label="Value" value={value} onChange={setValue} />
        <TextInput label="Comment" maxLength={4000} {...typedInto(comment, setComment)} />
      </DialogForm>
    </Modal>
  );
}

function DeleteDialog({ onDeleted, ...props }: ManyProps & { readonly onDeleted: () => void }) {
  const { projectId, ids, onClose } = props;
  const change = useChangeOfMany({ ...props, onClose: onDeleted }, () => deleteTraces(projectId, ids), "deleted");
  const many = plural(ids.length, "trace", "traces");
  return (
    <ConfirmDialog
      opened
      title={`Delete ${many}?`}
      change={change}
      failed="The traces were not deleted"
      confirm={`Delete ${many}`}
      cancel={ids.length === 1 ? "Keep it" : "Keep them"}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <Text>Their steps, scores and figures go with them. Nobody can bring them back.</Text>
    </ConfirmDialog>
  );
}
