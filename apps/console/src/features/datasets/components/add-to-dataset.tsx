import "@mantine/core/styles/Checkbox.layer.css";
import { Alert, Anchor, Button, Checkbox, Group, Modal, SegmentedControl, Select, Stack, TextInput, Textarea } from "@mantine/core";
import type { ItemsFromTracesRequest, WrittenItems } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { addFromTraces, createDataset, datasetsKey, datasetsQuery } from "#features/datasets/api/datasets.ts";
import { readTyped } from "#features/datasets/typed-value.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import monospace from "#ui/kit/monospace.module.css";
import { typedInto } from "#ui/kit/typed-into.ts";
import { plural } from "#ui/words/format.ts";

type AddToDatasetProps = {
  readonly projectId: string;
  /** At most 100. */
  readonly traceIds: readonly string[];
  /** A step of the one trace that may be added in its place. */
  readonly step?: { readonly id: string; readonly name: string } | undefined;
  /** The issue that they show: its items are of one cluster. */
  readonly issueId?: string;
  readonly onClose: () => void;
};

/** Any other value is a dataset's id. */
const NEW = "new";

/** Makes items of recorded traces, or of one step, in a dataset that is chosen or made here. */
export function AddToDataset({ projectId, traceIds, step, issueId, onClose }: AddToDatasetProps) {
  const datasets = useQuery(datasetsQuery(projectId));
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState("");
  const [part, setPart] = useState<"step" | "trace">(step === undefined ? "trace" : "step");
  const [expected, setExpected] = useState("");
  const [isRequired, setRequired] = useState(false);
  const target = chosen ?? datasets.data?.[0]?.id ?? NEW;
  const typed = readTyped(expected);
  const add = useChange({
    async send(body: ItemsFromTracesRequest, api) {
      const id = target === NEW ? (await api.request(createDataset(projectId, { name }))).id : target;
      // Once it is made, trying again adds to it.
      setChosen(id);
      return { id, ...(await api.request(addFromTraces(projectId, id, body))) };
    },
    refreshes: [datasetsKey(projectId)],
    refreshesAlways: true,
  });

  function submit(): void {
    if ("value" in typed) {
      const ofStep = part === "step" && step !== undefined ? { observation_id: step.id } : {};
      add.mutate({
        traces: traceIds.map((id) => ({ trace_id: id, ...ofStep })),
        ...(expected.trim() === "" ? {} : { expected: typed.value }),
        ...(isRequired ? { required: true } : {}),
        ...(issueId === undefined ? {} : { issue_id: issueId }),
      });
    }
  }

  const one = traceIds.length === 1;
  return (
    <Modal opened onClose={onClose} title={one ? "Add to dataset" : `Add ${plural(traceIds.length, "trace", "traces")} to a dataset`}>
      {add.data === undefined ? (
        <DialogForm
          change={add}
          failed="Nothing was added"
          submit="Add"
          disabled={datasets.isPending || (target === NEW && name.trim() === "")}
          onSubmit={submit}
          onCancel={onClose}
        >
          {step !== undefined && (
            <SegmentedControl
              aria-label="What is added"
              value={part}
              onChange={setPart}
              data={[
                { value: "step", label: `Step ${step.name}` },
                { value: "trace", label: "Whole trace" },
              ]}
            />
          )}
          <Select
            label="Dataset"
            searchable
            allowDeselect={false}
            data={[...(datasets.data ?? []).map(({ id, name: label }) => ({ value: id, label })), { value: NEW, label: "New dataset…" }]}
            value={target}
            onChange={(value) => setChosen(value ?? undefined)}
            error={datasets.error?.message}
          />
          {target === NEW && (
            <TextInput label="Name of the new dataset" placeholder="refunds" maxLength={200} data-autofocus {...typedInto(name, setName)} />
          )}
          {one && (
            <Textarea
              label="Expected"
              description="What it should have answered, as JSON or text. Left empty: its recorded output, unless it failed."
              rows={3}
              spellCheck={false}
              classNames={{ input: monospace.input }}
              {...typedInto(expected, setExpected)}
              error={"problem" in typed && typed.problem}
            />
          )}
          <Checkbox
            label="Required"
            description="Must pass in every repetition, or the gate fails. Those that failed are required anyway."
            checked={isRequired}
            onChange={(event) => setRequired(event.currentTarget.checked)}
          />
        </DialogForm>
      ) : (
        <Stack gap="md">
          <Alert color="green" role="status" title={addedInWords(add.data)}>
            <Anchor component={Link} inherit to="/projects/$projectId/datasets/$datasetId" params={{ projectId, datasetId: add.data.id }}>
              Open the dataset
            </Anchor>
          </Alert>
          <Group justify="flex-end">
            <Button data-autofocus onClick={onClose}>
              Done
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function addedInWords({ items, version }: WrittenItems): string {
  const added = items.filter(({ state }) => state === "added").length;
  const twins = items.length - added;
  const known = twins === 0 ? "" : ` ${plural(twins, "was", "were")} there already.`;
  return added === 0 ? `Nothing was added.${known}` : `${plural(added, "item", "items")} added in version ${version}.${known}`;
}
