import "@mantine/core/styles/Checkbox.layer.css";
import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  TextInput,
  Textarea,
} from "@mantine/core";
import { MAX_ITEM_TRACES, SAMPLE_BY, type ItemsFromTracesRequest, type WrittenItems } from "@sightline/observability/contract";
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
  /** At most 100; or a session, or what a query of the list finds, of which a sample is drawn. */
  readonly traceIds?: readonly string[];
  readonly from?: { readonly count: number } & ({ readonly session_id: string } | { readonly q: string });
  /** A step of the one trace that may be added in its place. */
  readonly step?: { readonly id: string; readonly name: string } | undefined;
  /** The dataset that is suggested for a correction, if any: it changes the trace's item, where that has one. */
  readonly correctsIn?: string | null;
  /** The issue that they show: its items are of one cluster. */
  readonly issueId?: string;
  readonly onClose: () => void;
};

/** Any other value is a dataset's id. */
const NEW = "new";

/** Makes items of recorded traces, of one step, a session or a sample, in a dataset that is chosen or made here. */
export function AddToDataset({ projectId, traceIds = [], from, step, correctsIn, issueId, onClose }: AddToDatasetProps) {
  const count = from?.count ?? traceIds.length;
  const [sample, setSample] = useState<Sample>({ size: Math.min(count, DRAWN), by: "random" });
  const datasets = useQuery(datasetsQuery(projectId));
  const [chosen, setChosen] = useState<string | undefined>(correctsIn ?? undefined);
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
        ...(from === undefined
          ? { traces: traceIds.map((id) => ({ trace_id: id, ...ofStep })) }
          : { from: "q" in from ? { q: from.q, sample } : { session_id: from.session_id } }),
        ...(expected.trim() === "" ? {} : { expected: typed.value }),
        ...(correctsIn === undefined ? {} : { corrects: true }),
        ...(isRequired ? { required: true } : {}),
        ...(issueId === undefined ? {} : { issue_id: issueId }),
      });
    }
  }

  const isDrawn = from !== undefined && "q" in from;
  const one = count === 1 && from === undefined;
  return (
    <Modal
      opened
      onClose={onClose}
      title={one ? "Add to dataset" : `Add ${isDrawn ? "some of " : ""}${plural(count, "trace", "traces")} to a dataset`}
    >
      {add.data === undefined ? (
        <DialogForm
          change={add}
          failed="Nothing was added"
          submit="Add"
          disabled={datasets.isPending || sample.size === 0 || (target === NEW && name.trim() === "")}
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
          {isDrawn && <SampleFields sample={sample} count={count} onChange={setSample} />}
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

type Sample = { readonly size: number; readonly by: (typeof SAMPLE_BY)[number] };

/** What a sample begins with. */
const DRAWN = 50;
const WAYS: Readonly<Record<Sample["by"], string>> = {
  random: "At random",
  status: "As many of each status",
  name: "As many of each agent",
  user: "As many of each user",
  session: "As many of each session",
};

type SampleFieldsProps = { readonly sample: Sample; readonly count: number; readonly onChange: (sample: Sample) => void };

function SampleFields({ sample, count, onChange }: SampleFieldsProps) {
  return (
    <Group grow align="flex-start">
      <NumberInput
        label="Traces to draw"
        description={`At most ${MAX_ITEM_TRACES} at once`}
        min={1}
        max={Math.min(count, MAX_ITEM_TRACES)}
        clampBehavior="strict"
        allowDecimal={false}
        value={sample.size === 0 ? "" : sample.size}
        onChange={(size) => onChange({ ...sample, size: Number(size) })}
      />
      <NativeSelect
        label="Drawn"
        description="The same again the next time"
        data={SAMPLE_BY.map((by) => ({ value: by, label: WAYS[by] }))}
        value={sample.by}
        onChange={({ currentTarget: { value } }) => onChange({ ...sample, by: SAMPLE_BY.find((by) => by === value) ?? "random" })}
      />
    </Group>
  );
}

function addedInWords({ items, version }: WrittenItems): string {
  const added = items.filter(({ state }) => state === "added").length;
  const twins = items.length - added;
  const known = twins === 0 ? "" : ` ${plural(twins, "was", "were")} there already.`;
  return added === 0 ? `Nothing was added.${known}` : `${plural(added, "item", "items")} added in version ${version}.${known}`;
}
