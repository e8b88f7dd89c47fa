import "@mantine/core/styles/Checkbox.layer.css";
import { Checkbox, Modal, Text, TextInput } from "@mantine/core";
import type { View } from "@sightline/observability/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog, DialogForm } from "#ui/kit/dialogs.tsx";

export function NameView({
  title,
  initial,
  mayShare,
  onSave,
  onClose,
}: {
  readonly title: string;
  readonly initial: string;
  readonly mayShare: boolean;
  readonly onSave: (name: string, shared: boolean) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(initial);
  const [shared, setShared] = useState(false);
  const save = useMutation({ mutationFn: () => onSave(name.trim(), shared), onSuccess: onClose });
  return (
    <Modal opened onClose={onClose} title={title}>
      <DialogForm change={save} submit="Save" disabled={name.trim() === ""} onSubmit={() => save.mutate()} onCancel={onClose}>
        <TextInput
          label="Name"
          description="It keeps the query, the order and the columns; not the time range."
          placeholder="Slow refunds"
          maxLength={100}
          data-autofocus
          value={name}
          error={save.error?.message}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {mayShare && (
          <Checkbox
            label="Everybody who sees the project sees it"
            checked={shared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
        )}
      </DialogForm>
    </Modal>
  );
}

export function DeleteView({
  view,
  onDelete,
  onClose,
}: {
  readonly view: View;
  readonly onDelete: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const remove = useMutation({ mutationFn: onDelete, onSuccess: onClose });
  return (
    <ConfirmDialog
      opened
      title={`Delete “${view.name}”?`}
      change={remove}
      cancel="Cancel"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text>{view.shared ? "It is gone for everybody in the project. " : ""}The traces stay.</Text>
      {remove.error !== null && (
        <Text c="var(--sl-bad)" role="alert">
          {remove.error.message}
        </Text>
      )}
    </ConfirmDialog>
  );
}
