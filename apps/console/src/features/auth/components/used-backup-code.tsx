import { Alert, Button, Stack, Text } from "@mantine/core";
import { plural } from "#ui/words/format.ts";
import { FEW_BACKUP_CODES } from "#features/auth/code.ts";

type UsedBackupCodeProps = { readonly remaining: number; readonly onSecurity: () => void; readonly onContinue: () => void };

/** After a login with a backup code, which is then gone. */
export function UsedBackupCode({ remaining, onSecurity, onContinue }: UsedBackupCodeProps) {
  const few = remaining <= FEW_BACKUP_CODES;
  return (
    <Stack gap="md">
      <Alert
        color={few ? "yellow" : "green"}
        role="status"
        title={remaining === 0 ? "That was your last backup code" : `${plural(remaining, "backup code", "backup codes")} left`}
      >
        {few
          ? "Make new ones now: without a backup code, a lost phone shuts you out until another admin lets you in."
          : "The code you used is gone; cross it out."}
      </Alert>
      <Text c="dimmed">Have you lost your phone? Move your second factor to another one on the security page.</Text>
      <Button size="md" fullWidth autoFocus {...(few ? {} : { variant: "default" })} onClick={onSecurity}>
        To the security page
      </Button>
      <Button size="md" fullWidth {...(few ? { variant: "default" } : {})} onClick={onContinue}>
        Go on
      </Button>
    </Stack>
  );
}
