import { Group, Modal, Text, TextInput } from "@mantine/core";
import type { Price } from "@sightline/observability/contract";
import { useState } from "react";
import { useChange } from "#http/use-change.ts";
import { deletePrice, pricesQuery, putPrice } from "#features/projects/api/prices.ts";
import { type PriceText, readPrice } from "#features/projects/price-table.ts";
import { ConfirmForm, DialogForm } from "#ui/kit/dialogs.tsx";

export type PriceIntent = {
  readonly kind: "add" | "own" | "change" | "remove";
  readonly text: PriceText;
  readonly price: Price | undefined;
};

const TITLES: Readonly<Record<PriceIntent["kind"], string>> = {
  add: "Add a price",
  own: "Set a price of this project",
  change: "Change this price",
  remove: "Remove this price?",
};

type PriceModalProps = { readonly projectId: string; readonly intent: PriceIntent | undefined; readonly onClose: () => void };

export function PriceModal({ projectId, intent, onClose }: PriceModalProps) {
  return (
    <Modal opened={intent !== undefined} onClose={onClose} title={TITLES[intent?.kind ?? "add"]}>
      {intent?.kind === "remove" && intent.price !== undefined && (
        <RemovePrice projectId={projectId} price={intent.price} onClose={onClose} />
      )}
      {intent !== undefined && intent.kind !== "remove" && <PriceForm projectId={projectId} intent={intent} onClose={onClose} />}
    </Modal>
  );
}

type PriceFormProps = { readonly projectId: string; readonly intent: PriceIntent; readonly onClose: () => void };

function PriceForm({ projectId, intent, onClose }: PriceFormProps) {
  const [text, setText] = useState(intent.text);
  const [checked, setChecked] = useState(false);
  const { request, problems: all } = readPrice(text);
  const problems = checked ? all : {};
  const save = useChange({
    send: () => putPrice(projectId, request),
    refreshes: [pricesQuery(projectId).queryKey],
    onRefreshed: onClose,
  });

  function submit(): void {
    setChecked(true);
    if (Object.keys(all).length === 0) {
      save.mutate();
    }
  }

  const field = (name: keyof PriceText) => ({
    value: text[name],
    error: problems[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => setText({ ...text, [name]: event.currentTarget.value }),
  });
  const amount = { inputMode: "decimal" as const, leftSection: "$", autoComplete: "off" };
  return (
    <DialogForm change={save} failed="The price was not saved" submit="Save" onSubmit={submit} onCancel={onClose}>
      <TextInput
        label="Model"
        description="As its provider calls it; a trailing date may be omitted"
        maxLength={500}
        readOnly={intent.kind !== "add"}
        data-autofocus={intent.kind === "add" || undefined}
        autoComplete="off"
        spellCheck={false}
        {...field("model")}
      />
      <Group grow align="flex-start">
        <TextInput label="Input" data-autofocus={intent.kind !== "add" || undefined} {...amount} {...field("input")} />
        <TextInput label="Output" {...amount} {...field("output")} />
      </Group>
      <Group grow align="flex-start">
        <TextInput label="Cache read" placeholder="as input" {...amount} {...field("cacheRead")} />
        <TextInput label="Cache write" placeholder="as input" {...amount} {...field("cacheWrite")} />
      </Group>
      <TextInput
        label="Since"
        description="Applies to calls from that hour on; leave empty for this hour"
        type="datetime-local"
        readOnly={intent.kind === "change"}
        {...field("from")}
      />
    </DialogForm>
  );
}

function RemovePrice({ projectId, price, onClose }: { readonly projectId: string; readonly price: Price; readonly onClose: () => void }) {
  const remove = useChange({
    send: () => deletePrice(projectId, price),
    refreshes: [pricesQuery(projectId).queryKey],
    onRefreshed: onClose,
  });
  return (
    <ConfirmForm change={remove} failed="The price was not removed" confirm="Remove" onConfirm={() => remove.mutate()} onClose={onClose}>
      <Text>
        Calls of “{price.model}” that had this price have the one before it, or the default, or none. Stored traces show their new cost at
        once.
      </Text>
    </ConfirmForm>
  );
}
