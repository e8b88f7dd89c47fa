import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import type { SetupAnswer } from "@sightline/identity/contract";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { Form } from "#ui/kit/form.tsx";
import { useApi } from "#http/api-context.ts";
import { useChange } from "#http/use-change.ts";
import { hasCode } from "#http/api-error.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { toClock, useSecondsLeft } from "#ui/time/countdown.ts";
import { verifySetup } from "#features/auth/api/second-factor.ts";
import { CodeField } from "#features/auth/components/code-field.tsx";
import { useCode } from "#features/auth/components/use-code.ts";
import classes from "./qr-code-step.module.css";
import { StepTitle } from "./step-title.tsx";

type ScanStepProps = {
  readonly setup: SetupAnswer;
  /** Milliseconds of this machine's clock. */
  readonly receivedAt: number;
  readonly onVerified: (backupCodes: readonly string[]) => void;
  readonly onRestart: () => void;
  readonly onCancel: () => void;
};

/** Shows a new secret, and takes the first code made with it. */
export function QrCodeStep({ setup, receivedAt, onVerified, onRestart, onCancel }: ScanStepProps) {
  const secondsLeft = useSecondsLeft(receivedAt + setup.expires_in * 1000);
  const [refused, setRefused] = useState<string>();
  const over = refused ?? (secondsLeft === 0 ? "This QR code has expired." : undefined);
  if (over !== undefined) {
    return (
      <Stack gap="md" align="flex-start">
        <StepTitle title="Setup not finished" focus />
        <Alert color="yellow" role="alert" w="100%">
          {over} Nothing has changed. Delete the entry in your app if you scanned the QR code.
        </Alert>
        <Group gap="xs">
          <Button onClick={onRestart}>Start again</Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      <StepTitle title="Step 1 of 2: connect your authenticator app">
        Any app for time-based codes will do: Google or Microsoft Authenticator, Aegis, 1Password, Bitwarden …
      </StepTitle>
      <div className={classes.columns}>
        <img
          className={classes.qr}
          src={pictureOf(setup.qr_svg)}
          alt="QR code to scan with your authenticator app"
          width={208}
          height={208}
        />
        <Stack gap="lg">
          <div>
            <Text fw={550}>Scan the QR code with the app</Text>
            <Text c="dimmed" mb="xs">
              Or{" "}
              <Anchor href={setup.otpauth_url} underline="always">
                open the app on this device
              </Anchor>
              , or type this key into it:
            </Text>
            <div className={classes.key}>
              <CopyableBlock text={setup.secret} label="the key">
                {inGroups(setup.secret)}
              </CopyableBlock>
            </div>
          </div>
          <FirstCode setup={setup} onVerified={onVerified} onRefused={setRefused} onCancel={onCancel} />
        </Stack>
      </div>
      <Dimmed role="timer">This QR code expires in {toClock(secondsLeft)}. 2FA stays off until you enter a code.</Dimmed>
    </Stack>
  );
}

type FirstCodeProps = {
  readonly setup: SetupAnswer;
  readonly onVerified: (backupCodes: readonly string[]) => void;
  readonly onRefused: (why: string) => void;
  readonly onCancel: () => void;
};

function FirstCode({ setup, onVerified, onRefused, onCancel }: FirstCodeProps) {
  const api = useApi();
  const code = useCode();
  const verify = useChange({
    send: (sent: string) => verifySetup(sent, setup.setup_token),
    onSuccess({ access_token: token, backup_codes: codes }) {
      // Every session ended, this one too.
      api.signIn(token);
      onVerified(codes);
    },
    onError(error) {
      code.wait.waitAfter(error);
      code.select();
      if (hasCode(error, "setup_expired", "setup_invalid")) {
        onRefused(error.message);
      }
    },
  });

  function submit(): void {
    if (code.whole) {
      verify.mutate(code.value);
    } else {
      code.demand();
    }
  }

  return (
    <Form onSubmit={submit} className={classes.form}>
      <CodeField
        code={code}
        error={verify.error?.message}
        busy={verify.isPending}
        backupCodes={false}
        autoFocus
        onWhole={(whole) => !verify.isPending && verify.mutate(whole)}
      />
      <Group gap="xs">
        <Button type="submit" loading={verify.isPending} disabled={code.wait.seconds > 0}>
          {code.wait.seconds > 0 ? `Wait ${toClock(code.wait.seconds)}` : "Turn on 2FA"}
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </Form>
  );
}

/** An SVG that is shown as a picture runs no script and reaches nothing, whatever is in it. */
function pictureOf(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function inGroups(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(" ");
}
