import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { FailedChange } from "#ui/kit/failed-change.tsx";

/** Asks once more before something is taken away; what goes wrong is said where one looks. */
export function ConfirmDelete({
  opened,
  title,
  description,
  isPending,
  error,
  onKeep,
  onDelete,
}: {
  readonly opened: boolean;
  readonly title: string;
  readonly description: string;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onKeep: () => void;
  readonly onDelete: () => void;
}) {
  return (
    <Modal opened={opened} onClose={onKeep} title={title} closeButtonProps={{ "aria-label": "Close" }} centered>
      <Stack gap="md">
        <Text>{description}</Text>
        <FailedChange error={error} title="It was not deleted" />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" data-autofocus onClick={onKeep}>
            Keep it
          </Button>
          <Button color="red" loading={isPending} onClick={onDelete}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
