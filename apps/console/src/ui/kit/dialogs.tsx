import { Button, Group, Modal, type ModalProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Form } from "#ui/kit/form.tsx";
import { FailedChange } from "./failed-change.tsx";

type DialogFormProps = {
  /** What the form sends. */
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  /** Heads the message of a failure; without it that is told elsewhere. */
  readonly failed?: string;
  readonly submit: string;
  readonly cancel?: string;
  readonly color?: string | undefined;
  /** Whether what was filled in can't be sent yet. */
  readonly disabled?: boolean;
  /** Whether the focus begins on the button that changes nothing. */
  readonly focusesCancel?: boolean;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  /** Beside the buttons, at the other end. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
};

/** What a dialog holds: the failure of its last try, its fields, and the two ways out. */
export function DialogForm({
  change,
  failed,
  submit,
  cancel = "Cancel",
  color,
  disabled = false,
  focusesCancel = false,
  onSubmit,
  onCancel,
  tools,
  children,
}: DialogFormProps) {
  return (
    <Form onSubmit={onSubmit}>
      {failed !== undefined && <FailedChange error={change.error} title={failed} />}
      {children}
      <Group justify="flex-end" gap="xs">
        {tools}
        <Button variant="default" onClick={onCancel} data-autofocus={focusesCancel || undefined}>
          {cancel}
        </Button>
        <Button type="submit" {...(color === undefined ? {} : { color })} loading={change.isPending} disabled={disabled}>
          {submit}
        </Button>
      </Group>
    </Form>
  );
}

type Confirmation = Omit<DialogFormProps, "submit" | "onSubmit" | "onCancel"> & {
  readonly confirm?: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Asks once more before something is taken away. */
export function ConfirmForm({ confirm = "Delete", cancel = "Keep it", onConfirm, onClose, ...form }: Confirmation) {
  return <DialogForm color="red" focusesCancel {...form} submit={confirm} cancel={cancel} onSubmit={onConfirm} onCancel={onClose} />;
}

/** A confirmation in a dialog of its own. */
export function ConfirmDialog({ opened, title, ...form }: Confirmation & Pick<ModalProps, "opened" | "title">) {
  return (
    <Modal opened={opened} onClose={form.onClose} title={title}>
      <ConfirmForm {...form} />
    </Modal>
  );
}
