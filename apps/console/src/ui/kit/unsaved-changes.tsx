import { Button, Group, Modal, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";

type UnsavedChangesProps = {
  readonly changed: boolean;
  readonly title?: string;
  /** The label of the button that stays. */
  readonly stay?: string;
  /** Why one might not want to leave. */
  readonly children?: ReactNode;
};

/** Asks before changes go that were not saved: in a dialog where the page is left, in the browser's own where the app is. */
export function UnsavedChanges({ changed, title = "Leave without saving?", stay = "Stay", children }: UnsavedChangesProps) {
  const leaving = useBlocker({ shouldBlockFn: () => changed, enableBeforeUnload: () => changed, withResolver: true });
  return (
    <Modal opened={leaving.status === "blocked"} onClose={() => leaving.reset?.()} title={title}>
      {children ?? <Text size="sm">What you changed here is not saved yet.</Text>}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={() => leaving.proceed?.()}>
          Leave
        </Button>
        <Button data-autofocus onClick={() => leaving.reset?.()}>
          {stay}
        </Button>
      </Group>
    </Modal>
  );
}
