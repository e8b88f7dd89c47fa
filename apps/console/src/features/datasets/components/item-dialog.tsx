import "@mantine/core/styles/Checkbox.layer.css";
import { Box, Button, Checkbox, Group, Modal, TextInput, Textarea } from "@mantine/core";
import type { Item, WriteItem } from "@sightline/observability/contract";
import { type ReactNode, useState } from "react";
import { datasetsKey, writeItems } from "#features/datasets/api/datasets.ts";
import { type Typed, readChecks, readTyped, rowsOf, toTyped, toTypedChecks } from "#features/datasets/typed-value.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import monospace from "#ui/kit/monospace.module.css";
import { typedInto } from "#ui/kit/typed-into.ts";
import { ItemOrigin } from "#ui/page/item-origin.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { ChecksField } from "./checks-field.tsx";

type ItemDialogProps = {
  readonly projectId: string;
  readonly datasetId: string;
  /** Without it a new one is added. */
  readonly item?: Item;
  readonly mayChange: boolean;
  readonly onClose: () => void;
  /** Below the item. */
  readonly children?: ReactNode;
};

/** One item, all of it. What is saved or deleted makes a new version. */
export function ItemDialog({ projectId, datasetId, item, mayChange, onClose, children }: ItemDialogProps) {
  const [input, setInput] = useState(toTyped(item?.input ?? null));
  const [expected, setExpected] = useState(toTyped(item?.expected ?? null));
  const [checks, setChecks] = useState(toTypedChecks(item?.checks));
  const [split, setSplit] = useState(item?.split ?? "");
  const [cluster, setCluster] = useState(item?.cluster ?? "");
  const [required, setRequired] = useState(item?.required ?? false);
  const [reason, setReason] = useState("");
  const read = { input: readTyped(input), expected: readTyped(expected), checks: readChecks(checks) };
  const [isTold, setTold] = useState(false);
  const refreshing = { refreshes: [datasetsKey(projectId)] };
  const save = useChange({
    send: (written: WriteItem) => writeItems(projectId, datasetId, { items: [written], reason }),
    ...refreshing,
    onSuccess: ({ items: [of] }) => of?.state !== "duplicate" && onClose(),
  });
  const remove = useChange({
    send: (id: string) => writeItems(projectId, datasetId, { delete: [id], reason }),
    ...refreshing,
    onSuccess: onClose,
  });
  const twin = save.data?.items.find(({ state }) => state === "duplicate");

  function submit(): void {
    setTold(true);
    if ("value" in read.input && "value" in read.expected && "value" in read.checks) {
      const { metadata = {}, subject = null, source = null } = item ?? {};
      save.mutate({
        ...(item === undefined ? {} : { id: item.id }),
        input: read.input.value,
        expected: read.expected.value,
        checks: read.checks.value,
        metadata,
        split: split.trim() === "" ? null : split.trim(),
        subject,
        cluster: cluster.trim() === "" ? null : cluster.trim(),
        required,
        source,
      });
    }
  }

  const problemOf = (typed: Typed<unknown>) => isTold && "problem" in typed && typed.problem;
  const text = { readOnly: !mayChange, spellCheck: false, classNames: { input: monospace.input } } as const;
  const fields = (
    <>
      <Textarea
        label="Input"
        description="JSON, or text as it is"
        {...text}
        rows={rowsOf(input)}
        {...typedInto(input, setInput)}
        error={problemOf(read.input)}
        data-autofocus
      />
      <Textarea
        label="Expected"
        description="What a good run gives back; left empty, only checks and evaluators judge"
        {...text}
        rows={rowsOf(expected)}
        {...typedInto(expected, setExpected)}
        error={problemOf(read.expected)}
      />
      <ChecksField checks={checks} onChange={setChecks} error={problemOf(read.checks)} readOnly={!mayChange} />
      <Group grow align="flex-start">
        <TextInput label="Split" placeholder="test" maxLength={200} readOnly={!mayChange} {...typedInto(split, setSplit)} />
        <TextInput
          label="Cluster"
          placeholder="session, user or issue"
          maxLength={500}
          readOnly={!mayChange}
          {...typedInto(cluster, setCluster)}
        />
      </Group>
      <Checkbox
        label="Required"
        description="Must pass in every repetition, or the gate fails"
        checked={required}
        disabled={!mayChange}
        onChange={(event) => setRequired(event.currentTarget.checked)}
      />
    </>
  );
  return (
    <Modal opened onClose={onClose} size="xl" title={item === undefined ? "New item" : mayChange ? "Change this item" : "Item"}>
      {item !== undefined && item.source !== null && (
        <Group gap="xs" mb="sm" fz="sm">
          <Dimmed span>From</Dimmed>
          <ItemOrigin projectId={projectId} source={item.source} />
        </Group>
      )}
      <DialogForm
        change={save}
        failed="The item was not saved"
        submit={mayChange ? "Save" : "Close"}
        cancel={mayChange ? "Cancel" : "Back"}
        onSubmit={mayChange ? submit : onClose}
        onCancel={onClose}
        tools={
          mayChange &&
          item !== undefined && (
            <Button mr="auto" variant="light" color="red" loading={remove.isPending} onClick={() => remove.mutate(item.id)}>
              Delete item
            </Button>
          )
        }
      >
        <FailedChange error={remove.error} title="The item was not deleted" />
        {twin !== undefined && (
          <FailedChange
            error={new Error("Change the input or what is expected, or edit that item.")}
            title="The dataset has an item of the same input and expected value"
          />
        )}
        {fields}
        {mayChange && (
          <TextInput label="Why" description="Stands in the list of versions" maxLength={500} {...typedInto(reason, setReason)} />
        )}
      </DialogForm>
      {children !== undefined && <Box mt="xl">{children}</Box>}
    </Modal>
  );
}
