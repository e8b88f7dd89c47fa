import { Button, Group, Modal, TagsInput, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { MAX_BULK_TRACES, type ProjectRole } from "@sightline/observability/contract";
import { IconDatabasePlus, IconStar, IconTag, IconTrash } from "@tabler/icons-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type Choice, MAX_MATCHING, readBatches, deleteTraces, keysOfTraces, scoreTraces, tagTraces } from "#features/traces/api/bulk.ts";
import { isGiven, NO_SCORE, ScoreFields, toGivenScore } from "#features/traces/scores/score-fields.tsx";
import { useApi } from "#http/api-context.ts";
import { encoded } from "#http/calls.ts";
import type { Call } from "#http/send.ts";
import { useChange } from "#http/use-change.ts";
import { ConfirmDialog, DialogForm } from "#ui/kit/dialogs.tsx";
import { ExportButton } from "#ui/kit/export-button.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatExactCount } from "#ui/words/format.ts";

type ChosenTracesProps = {
  readonly projectId: string;
  /** The reader's role; undefined while it is not known. */
  readonly role: ProjectRole | undefined;
  readonly chosen: Choice;
  /** How many the query of the list finds; undefined while it is not known. */
  readonly matching: number | undefined;
  readonly onChooseAll: (count: number) => void;
  readonly onCompare: (first: string, second: string) => void;
  readonly onAddToDataset: (chosen: Choice) => void;
  readonly onClear: () => void;
};

/** The most that become items at once. */
const MAX_ADDED = 100;

/** What can be done to the traces that are chosen in the list. */
export function ChosenTraces({ projectId, role, chosen, matching, onChooseAll, onCompare, onAddToDataset, onClear }: ChosenTracesProps) {
  const api = useApi();
  const [dialog, setDialog] = useState<"tag" | "score" | "delete">();
  const ids = "ids" in chosen ? chosen.ids : [];
  const [first = "", second = ""] = ids;
  const mayEdit = role === "editor" || role === "owner";
  const many = { projectId, choice: chosen, onClose: () => setDialog(undefined) };
  return (
    <Group gap="xs" ml="auto" role="group" aria-label="Chosen traces">
      <Text size="sm">
        {"q" in chosen && (chosen.count === MAX_MATCHING ? "The newest " : "All ")}
        {inWords(chosen)} chosen{ids.length === MAX_BULK_TRACES && ", the most that can be ticked"}
      </Text>
      {"ids" in chosen && matching !== undefined && matching > chosen.count && (
        <Button size="compact-sm" variant="light" onClick={() => onChooseAll(Math.min(matching, MAX_MATCHING))}>
          Choose {matching > MAX_MATCHING ? `the newest ${formatExactCount(MAX_MATCHING)}` : `all ${formatExactCount(matching)}`}
        </Button>
      )}
      <Button size="compact-sm" disabled={ids.length !== 2} title="Choose two traces" onClick={() => onCompare(first, second)}>
        Compare
      </Button>
      {mayEdit && (
        <>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconDatabasePlus size={14} />}
            disabled={ids.length > MAX_ADDED}
            title={`Tick at most ${MAX_ADDED} traces, or choose all that match and draw a sample`}
            onClick={() => onAddToDataset(chosen)}
          >
            Add to dataset…
          </Button>
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
            query: "q" in chosen ? { q: chosen.q } : { trace_ids: ids.join(",") },
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

function inWords({ count }: Choice): string {
  return `${formatExactCount(count)} ${count === 1 ? "trace" : "traces"}`;
}

type ManyProps = { readonly projectId: string; readonly choice: Choice; readonly onClose: () => void };

/** A change of them all, batch by batch, which tells how many there still were; closing its dialog stops it after a batch. */
function useChangeOfMany(
  { projectId, choice, onClose }: ManyProps,
  send: (ids: readonly string[]) => Call<{ traces: number }>,
  done: string,
) {
  const [changed, setChanged] = useState(0);
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const change = useChange({
    async send(_, api) {
      isStopped.current = false;
      let traces = 0;
      for await (const ids of readBatches(api, projectId, choice)) {
        traces += (await api.request(send(ids))).traces;
        setChanged(traces);
        if (isStopped.current) {
          break;
        }
      }
      return { traces };
    },
    refreshes: keysOfTraces(projectId),
    refreshesAlways: true,
    onRefreshed: ({ traces }) => {
      notifications.show({ color: "green", message: `${formatExactCount(traces)} ${traces === 1 ? "trace was" : "traces were"} ${done}.` });
      onClose();
    },
  });
  const close = () => {
    if (change.isPending) {
      isStopped.current = true;
    } else {
      onClose();
    }
  };
  const tools: ReactNode = changed > 0 && (
    <Dimmed role="status" mr="auto">
      {formatExactCount(changed)} of {formatExactCount(choice.count)} {done}
    </Dimmed>
  );
  return { change, close, form: { change, tools, ...(change.isPending ? { cancel: "Stop" } : {}) } };
}

function TagDialog(props: ManyProps) {
  const { projectId, choice } = props;
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  // What is typed becomes a tag when the field is left, as for the button.
  const [isTyping, setTyping] = useState(false);
  const onSearchChange = (text: string) => setTyping(text.trim() !== "");
  const { change, close, form } = useChangeOfMany(props, (ids) => tagTraces(projectId, { trace_ids: [...ids], add, remove }), "tagged");
  return (
    <Modal opened onClose={close} title={`Tag ${inWords(choice)}`}>
      <DialogForm
        {...form}
        failed="The traces were not tagged"
        submit="Save tags"
        disabled={add.length + remove.length === 0 && !isTyping}
        onSubmit={() => change.mutate()}
        onCancel={close}
      >
        <TagsInput
          label="Add"
          description="Press Enter after each tag."
          data-autofocus
          maxTags={20}
          maxLength={200}
          value={add}
          onChange={setAdd}
          onSearchChange={onSearchChange}
          acceptValueOnBlur
        />
        <TagsInput
          label="Remove"
          description="Tags sent by your application stay."
          maxTags={20}
          maxLength={200}
          value={remove}
          onChange={setRemove}
          onSearchChange={onSearchChange}
          acceptValueOnBlur
        />
      </DialogForm>
    </Modal>
  );
}

function ScoreDialog(props: ManyProps) {
  const { projectId, choice } = props;
  const [score, setScore] = useState(NO_SCORE);
  const { change, close, form } = useChangeOfMany(
    props,
    (ids) => scoreTraces(projectId, { trace_ids: [...ids], ...toGivenScore(score) }),
    "scored",
  );
  return (
    <Modal opened onClose={close} title={`Score ${inWords(choice)}`}>
      <DialogForm
        {...form}
        failed="The traces were not scored"
        submit="Score"
        disabled={!isGiven(score)}
        onSubmit={() => change.mutate()}
        onCancel={close}
      >
        <ScoreFields projectId={projectId} score={score} onChange={setScore} />
      </DialogForm>
    </Modal>
  );
}

function DeleteDialog({ onDeleted, ...props }: ManyProps & { readonly onDeleted: () => void }) {
  const { projectId, choice } = props;
  const { change, close, form } = useChangeOfMany({ ...props, onClose: onDeleted }, (ids) => deleteTraces(projectId, ids), "deleted");
  const many = inWords(choice);
  return (
    <ConfirmDialog
      opened
      title={
        "q" in choice ? `Delete ${choice.count === MAX_MATCHING ? "the newest" : "all"} ${many} that match the query?` : `Delete ${many}?`
      }
      cancel={choice.count === 1 ? "Keep it" : "Keep them"}
      {...form}
      failed="The traces were not deleted"
      confirm={`Delete ${many}`}
      onConfirm={() => change.mutate()}
      onClose={change.isPending ? close : props.onClose}
    >
      <Text>Permanently deletes them with all their steps, scores, dead letters and figures, and messages that no other trace has.</Text>
    </ConfirmDialog>
  );
}
