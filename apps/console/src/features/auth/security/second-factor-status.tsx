import { Alert, Button, Group, Stack } from "@mantine/core";
import type { SecondFactorStatus as State } from "@sightline/identity/contract";
import { IconShieldCheck } from "@tabler/icons-react";
import { toClock, useSecondsLeft } from "#ui/time/countdown.ts";
import { formatCount } from "#ui/words/format.ts";
import { Status } from "#ui/words/status.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { FEW_BACKUP_CODES } from "#features/auth/code.ts";
import type { Change } from "./change-dialog.tsx";
import classes from "./second-factor-status.module.css";
import { StepTitle } from "./step-title.tsx";

const PURPOSE =
  "Login will ask for your password and a code from an app on your phone, so a leaked password alone is not enough to log in.";
const PURPOSE_BESIDE_PASSKEYS =
  "Login asks for a passkey. With an app on your phone you can also log in with your password and a code. Confirm with your passkey to set it up.";

type SecondFactorOffProps = {
  readonly focus: boolean;
  readonly hasPasskeys: boolean;
  readonly starting: boolean;
  readonly onSetUp: () => void;
};

export function SecondFactorOff({ focus, hasPasskeys, starting, onSetUp }: SecondFactorOffProps) {
  return (
    <Stack gap="md" align="flex-start">
      <StepTitle title="Two-factor authentication (2FA)" focus={focus}>
        {hasPasskeys ? PURPOSE_BESIDE_PASSKEYS : PURPOSE}
      </StepTitle>
      {hasPasskeys ? <Status tone="idle">Off: your passkeys are your second factor</Status> : <Status tone="warn">Off</Status>}
      <Button leftSection={<IconShieldCheck size={16} />} loading={starting} onClick={onSetUp}>
        Set up 2FA
      </Button>
    </Stack>
  );
}

type SecondFactorOnProps = { readonly focus: boolean; readonly state: State; readonly onChange: (change: Change) => void };

export function SecondFactorOn({ focus, state, onChange }: SecondFactorOnProps) {
  const lockedSeconds = useSecondsLeft(state.locked_until === null ? 0 : Date.parse(state.locked_until));
  const few = state.backup_codes_remaining <= FEW_BACKUP_CODES;
  return (
    <Stack gap="lg" align="flex-start">
      <StepTitle title="Two-factor authentication (2FA)" focus={focus}>
        Login asks for your password, then for a code from your authenticator app.
      </StepTitle>
      {(state.suspended || lockedSeconds > 0) && (
        <Alert
          color="red"
          w="100%"
          role="alert"
          title={state.suspended ? "Codes from the app are suspended" : "Codes from the app are locked"}
        >
          {state.suspended
            ? "Too many wrong codes in a row. Log in once with a backup code to use the app again."
            : `Too many wrong codes. Try again in ${toClock(lockedSeconds)}, or use a backup code.`}
          {" If it wasn't you, someone knows your password: change it."}
        </Alert>
      )}
      <dl className={classes.facts}>
        <dt>Status</dt>
        <dd>
          <Status tone="ok">On</Status>
        </dd>
        <dt>Authenticator last used</dt>
        <dd>{state.totp_last_used_at === null ? "never" : <TimeStamp at={state.totp_last_used_at} />}</dd>
        <dt>Backup codes</dt>
        <dd>
          <Status tone={few ? "warn" : "ok"}>
            {state.backup_codes_remaining === 0 ? "None left" : `${formatCount(state.backup_codes_remaining)} left`}
            {few && ": make new ones"}
          </Status>
        </dd>
      </dl>
      <Group gap="xs">
        <Button variant={few ? "filled" : "default"} onClick={() => onChange("backup_codes")}>
          Make new backup codes
        </Button>
        <Button variant="default" onClick={() => onChange("replace")}>
          Replace authenticator
        </Button>
        <Button variant="default" c="var(--sl-bad)" onClick={() => onChange("disable")}>
          Turn off
        </Button>
      </Group>
    </Stack>
  );
}
