import { Modal, TagsInput, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useEffect, useRef, useState } from "react";
import {
  type Choice,
  MAX_MATCHING,
  readBatches,
  deleteTraces,
  keysOfKept,
  keysOfTraces,
  scoreTraces,
  tagTraces,
} from "#features/traces/api/bulk.ts";
import { isGiven, NO_SCORE, ScoreFields, toGivenScore } from "#features/traces/scores/score-fields.tsx";
import type { Call } from "#http/send.ts";
import { useChange } from "#http/use-change.ts";
import { ConfirmDialog, DialogForm } from "#ui/kit/dialogs.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatExactCount } from "#ui/words/format.ts";

export function inWords({ count }: Choice): string {
  return `${formatExactCount(count)} ${count === 1 ? "trace" : "traces"}`;
}

type ManyProps = { readonly projectId: string; readonly choice: Choice; readonly onClose: () => void };

/** A change of them all, batch by batch, which tells how many there still were; closing its dialog stops it after a batch. */
function useChangeOfMany(
  { projectId, choice, onClose }: ManyProps,
  send: (ids: readonly string[]) => Call<{ traces: number }>,
  done: string,
  refreshes = keysOfKept(projectId),
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
    refreshes,
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

const TAGS = { maxTags: 20, maxLength: 200, acceptValueOnBlur: true };

export function TagDialog(props: ManyProps) {
  const { projectId, choice } = props;
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  // A text that is typed becomes a tag when the field is left, as for the button.
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
          {...TAGS}
          label="Add"
          description="Press Enter after each tag."
          data-autofocus
          value={add}
          onChange={setAdd}
          onSearchChange={onSearchChange}
        />
        <TagsInput
          {...TAGS}
          label="Remove"
          description="Tags sent by your application stay."
          value={remove}
          onChange={setRemove}
          onSearchChange={onSearchChange}
        />
      </DialogForm>
    </Modal>
  );
}

const EDITED = "Press Enter after each tag. Tags sent by your application stay.";

/** Changes which tags people added to one trace. */
export function EditTagsDialog({ added, ...props }: ManyProps & { readonly added: readonly string[] }) {
  const [tags, setTags] = useState([...added]);
  const changed = {
    add: tags.filter((tag) => !added.includes(tag)),
    remove: added.filter((tag) => !tags.includes(tag)),
  };
  const { change, close, form } = useChangeOfMany(
    props,
    (ids) => tagTraces(props.projectId, { trace_ids: [...ids], ...changed }),
    "tagged",
  );
  return (
    <Modal opened onClose={close} title="Tags of this trace">
      <DialogForm {...form} failed="The trace was not tagged" submit="Save tags" onSubmit={() => change.mutate()} onCancel={close}>
        <TagsInput {...TAGS} label="Tags" description={EDITED} data-autofocus value={tags} onChange={setTags} />
      </DialogForm>
    </Modal>
  );
}

export function ScoreDialog(props: ManyProps) {
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

export function DeleteDialog({ onDeleted, ...props }: ManyProps & { readonly onDeleted: () => void }) {
  const { projectId, choice } = props;
  const { change, close, form } = useChangeOfMany(
    { ...props, onClose: onDeleted },
    (ids) => deleteTraces(projectId, ids),
    "deleted",
    keysOfTraces(projectId),
  );
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
