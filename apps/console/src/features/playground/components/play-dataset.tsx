import { Alert, Modal, NativeSelect, TextInput } from "@mantine/core";
import type { Dataset } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { playDataset } from "#features/playground/api/run-variant.ts";
import { type Draft, toRequest } from "#features/playground/draft.ts";
import { ask } from "#http/queries.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { formatCost, plural } from "#ui/words/format.ts";

type Props = {
  readonly projectId: string;
  readonly drafts: readonly Draft[];
  readonly datasets: readonly Dataset[];
  readonly onStarted: (experimentIds: readonly string[]) => void;
  readonly onClose: () => void;
};

/** Makes each variant an experiment over a dataset, once it is told what that takes. */
export function PlayDataset({ projectId, drafts, datasets, onStarted, onClose }: Props) {
  const [asked, setAsked] = useState({ dataset_id: datasets[0]?.id ?? "", split: "", name: "Playground" });
  const { dataset_id: id, split } = asked;
  const call = (isEstimate: boolean) => {
    const variants = drafts.map((draft) => ({ ...toRequest(draft), prompt: draft.prompt ?? null }));
    return playDataset(projectId, { ...asked, split: split.trim() === "" ? null : split.trim(), variants, is_estimate: isEstimate });
  };
  const told = useQuery({
    queryKey: ["projects", projectId, "playground", id, split],
    queryFn: async (context) => ask(context, call(true)),
    enabled: id !== "",
    retry: false,
    gcTime: 0,
  });
  const start = useChange({ send: () => call(false), onSuccess: ({ experiment_ids: ids }) => onStarted(ids) });
  return (
    <Modal opened onClose={onClose} title="Run over a dataset">
      <DialogForm
        change={start}
        failed="It was not started"
        submit="Run"
        disabled={told.data === undefined || asked.name.trim() === ""}
        onSubmit={() => start.mutate()}
        onCancel={onClose}
      >
        <NativeSelect
          label="Dataset"
          description="Keys of an item’s input fill the variables; {{input}} is all of it"
          data={datasets.map(({ id: value, name: label }) => ({ value, label }))}
          {...typedInto(id, (chosen) => setAsked({ ...asked, dataset_id: chosen }))}
        />
        <TextInput
          label="Split"
          placeholder="all items"
          maxLength={200}
          {...typedInto(split, (next) => setAsked({ ...asked, split: next }))}
        />
        <TextInput label="Name of the experiment" maxLength={150} {...typedInto(asked.name, (name) => setAsked({ ...asked, name }))} />
        {told.error !== null && <Alert color="red">{told.error.message}</Alert>}
        <Dimmed role="status">
          {told.data !== undefined &&
            `${plural(told.data.calls, "call", "calls")}, ${told.data.about === null ? "no price" : `about ${formatCost(told.data.about)}`}`}
        </Dimmed>
      </DialogForm>
    </Modal>
  );
}
