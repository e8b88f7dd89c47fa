import { Button, Group, Modal, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";

/** Asks before changes go that were not saved: in a dialog where the page is left, in the browser's own where the app is. */
export function UnsavedChanges({ changed }: { readonly changed: boolean }) {
  const leaving = useBlocker({ shouldBlockFn: () => changed, enableBeforeUnload: () => changed, withResolver: true });
  return (
    <Modal opened={leaving.status === "blocked"} onClose={() => leaving.reset?.()} title="Leave without saving?">
      <Text size="sm">What you changed here is not saved yet.</Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={() => leaving.proceed?.()}>
          Leave
        </Button>
        <Button data-autofocus onClick={() => leaving.reset?.()}>
          Stay
        </Button>
      </Group>
    </Modal>
  );
}
