import { Modal, MultiSelect, NumberInput, Select, TextInput, Textarea } from "@mantine/core";
import { MAX_ANNOTATORS, MAX_ITEM_TRACES, MAX_QUEUE_SCORES, type ScoreConfig } from "@sightline/observability/contract";
import { useState } from "react";
import { addToQueue, createQueue, queuesKey } from "#features/annotation/api/annotation.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";

type NewQueueProps = {
  readonly projectId: string;
  readonly configs: readonly ScoreConfig[];
  readonly datasets: readonly { readonly id: string; readonly name: string }[];
  readonly onClose: () => void;
};

/** Makes a queue of a sample of what a query finds. */
export function NewQueue({ projectId, configs, datasets, onClose }: NewQueueProps) {
  const [queue, setQueue] = useState({ name: "", rubric: "", scores: [] as string[], annotators: 1, dataset_id: null as string | null });
  const [{ q, size }, setSample] = useState({ q: "", size: 50 });
  const set = (part: Partial<typeof queue>) => setQueue({ ...queue, ...part });
  const make = useChange({
    async send(_: void, api) {
      const { id } = await api.request(createQueue(projectId, queue));
      await api.request(addToQueue(projectId, id, { from: { q, sample: { size } } }));
    },
    refreshes: [queuesKey(projectId)],
    refreshesAlways: true,
    onSuccess: onClose,
  });
  return (
    <Modal opened onClose={onClose} title="New queue">
      <DialogForm
        change={make}
        failed="The queue is not as it was asked for"
        submit="Create"
        disabled={queue.name.trim() === "" || queue.scores.length === 0}
        onSubmit={() => make.mutate()}
        onCancel={onClose}
      >
        <TextInput label="Name" maxLength={200} data-autofocus {...typedInto(queue.name, (name) => set({ name }))} />
        <MultiSelect
          label="Scores"
          description="What they mean is said in the project's settings."
          data={configs.map(({ name }) => name)}
          maxValues={MAX_QUEUE_SCORES}
          value={queue.scores}
          onChange={(scores) => set({ scores })}
        />
        <Textarea label="How to label" rows={3} maxLength={20_000} {...typedInto(queue.rubric, (rubric) => set({ rubric }))} />
        <NumberInput
          label="People who label each trace"
          min={1}
          max={MAX_ANNOTATORS}
          clampBehavior="strict"
          value={queue.annotators}
          onChange={(annotators) => set({ annotators: Number(annotators) })}
        />
        <TextInput
          label="Query"
          placeholder="all traces"
          maxLength={1_000}
          spellCheck={false}
          {...typedInto(q, (text) => setSample({ q: text, size }))}
        />
        <NumberInput
          label="Traces drawn at random"
          min={1}
          max={MAX_ITEM_TRACES}
          clampBehavior="strict"
          value={size}
          onChange={(drawn) => setSample({ q, size: Number(drawn) })}
        />
        <Select
          label="Corrections go to the dataset"
          placeholder="none"
          clearable
          data={datasets.map(({ id, name }) => ({ value: id, label: name }))}
          value={queue.dataset_id}
          onChange={(id) => set({ dataset_id: id })}
        />
      </DialogForm>
    </Modal>
  );
}
