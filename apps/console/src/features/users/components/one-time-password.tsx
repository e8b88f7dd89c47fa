import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { CopyableBlock } from "#ui/copyable.tsx";

/** The only showing of a one-time password, which its reader has to hand over. */
export function OneTimePassword({
  name,
  password,
  onDone,
}: {
  readonly name: string;
  readonly password: string;
  readonly onDone: () => void;
}) {
  return (
    <Stack gap="md">
      <Alert color="yellow" title="Copy it now: you will not see it again" role="status">
        It is stored nowhere. If it gets lost, reset the password once more.
      </Alert>
      <CopyableBlock text={password} label="the one-time password" />
      <Text size="sm" c="dimmed">
        Hand it to {name} in a way that you trust. It opens nothing but the choice of a password, at the first login.
      </Text>
      <Group justify="flex-end">
        <Button onClick={onDone} data-autofocus>
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}
