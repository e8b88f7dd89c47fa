import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
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
  const [copied, setCopied] = useState(false);
  // The browser asks before a reload; other ways out wait, as the dialog itself does.
  useBlocker({ shouldBlockFn: () => !copied, enableBeforeUnload: () => !copied });
  const box = useRef<HTMLDivElement>(null);
  // It takes the place of the form that had the focus.
  useEffect(() => box.current?.querySelector("pre")?.focus(), []);
  return (
    <Stack gap="md" ref={box}>
      <Alert color="yellow" title="Copy it now: you will not see it again" role="status">
        It is stored nowhere. If it gets lost, reset the password once more.
      </Alert>
      <CopyableBlock text={password} label="the one-time password" />
      <Text size="sm" c="dimmed">
        Hand it to {name} in a way that you trust. It opens nothing but the choice of a password, at the first login.
      </Text>
      <Group justify="flex-end">
        <Button
          onClick={() => {
            setCopied(true);
            onDone();
          }}
        >
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}
