import { Modal, TextInput, Textarea } from "@mantine/core";
import { type Dataset, createDatasetRequestSchema } from "@sightline/observability/contract";
import { useState } from "react";
import { changeDataset, createDataset, datasetsKey } from "#features/datasets/api/datasets.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { asSentence } from "#ui/words/format.ts";

type DatasetDialogProps = {
  readonly projectId: string;
  /** The one whose name and description are changed; without it a new one is made. */
  readonly dataset?: Dataset;
  readonly onSaved?: (dataset: Dataset) => void;
  readonly onClose: () => void;
};

export function DatasetDialog({ projectId, dataset, onSaved, onClose }: DatasetDialogProps) {
  const [name, setName] = useState(dataset?.name ?? "");
  const [description, setDescription] = useState(dataset?.description ?? "");
  const [problem, setProblem] = useState<string>();
  const save = useChange({
    send: () =>
      dataset === undefined
        ? createDataset(projectId, { name, description })
        : changeDataset(projectId, dataset.id, { name: name.trim(), description }),
    refreshes: [datasetsKey(projectId)],
    onSuccess(saved) {
      onClose();
      onSaved?.(saved);
    },
  });

  function submit(): void {
    const wrong = createDatasetRequestSchema.safeParse({ name, description }).error?.issues[0]?.message;
    setProblem(name.trim() === "" ? "Give it a name." : wrong);
    if (wrong === undefined) {
      save.mutate();
    }
  }

  return (
    <Modal opened onClose={onClose} title={dataset === undefined ? "New dataset" : "Change this dataset"}>
      <DialogForm change={save} submit={dataset === undefined ? "Create" : "Save"} onSubmit={submit} onCancel={onClose}>
        <TextInput
          label="Name"
          placeholder="refunds"
          description='Your code names it: dataset="refunds"'
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...typedInto(name, setName)}
          error={problem === undefined ? save.error?.message : asSentence(problem)}
        />
        <Textarea label="Description" rows={3} maxLength={2000} {...typedInto(description, setDescription)} />
      </DialogForm>
    </Modal>
  );
}
