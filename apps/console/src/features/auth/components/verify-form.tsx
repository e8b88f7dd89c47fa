import { Alert, Anchor, Button, Group, Stack, VisuallyHidden } from "@mantine/core";
import {
  type PasskeyLoginAnswer,
  type VerifySecondFactorAnswer,
  type VerifySecondFactorRequest,
  verifySecondFactorAnswerSchema,
} from "@sightline/identity/contract";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { Failed } from "#ui/kit/failed-change.tsx";
import { Form } from "#ui/kit/form.tsx";
import { identity } from "#http/calls.ts";
import { useChange } from "#http/use-change.ts";
import { useApi } from "#http/api-context.ts";
import { hasCode, hasStatus } from "#http/api-error.ts";
import { toClock, useSecondsLeft } from "#ui/time/countdown.ts";
import type { SentCode } from "#features/auth/code.ts";
import type { PartialLogin } from "#features/auth/login-passage.ts";
import { verifyByPasskey } from "#features/auth/api/passkeys.ts";
import { PasskeyButton } from "./passkey-button.tsx";
import { CodeField } from "./code-field.tsx";
import { type CodeState, useCode } from "./use-code.ts";

const SOON_OVER_SECONDS = 60;

type VerifyFormProps = {
  readonly partial: PartialLogin;
  readonly onVerified: (answer: VerifySecondFactorAnswer | PasskeyLoginAnswer) => void;
  /** Back to the password. */
  readonly onRestart: () => void;
};

/** The second step of a login, for as long as the first one counts. */
export function VerifyForm({ partial, onVerified, onRestart }: VerifyFormProps) {
  const api = useApi();
  const code = useCode();
  const secondsLeft = useSecondsLeft(partial.until);
  const verify = useChange({
    send: ({ value }: SentCode) => verifyCode({ partial_token: partial.token, code: value }),
    onSuccess(answer) {
      api.signIn(answer.access_token);
      onVerified(answer);
    },
    onError(error) {
      code.wait.waitAfter(error);
      code.select();
    },
  });
  const passkey = useChange({
    send: () => verifyByPasskey(api, partial.token),
    onSuccess(answer) {
      api.signIn(answer.access_token);
      onVerified(answer);
    },
  });
  // Anything else that is refused with 401 is the partial token: tried too often, or ended by a change of the account.
  const refused = [verify.error, passkey.error].find(
    (error) => hasStatus(error, 401) && !hasCode(error, "invalid_code", "invalid_passkey"),
  );
  if ((refused ?? null) !== null || (secondsLeft === 0 && ![verify, passkey].some(({ isPending, isSuccess }) => isPending || isSuccess))) {
    return <Over why={refused?.message ?? "Enter it within five minutes."} onRestart={onRestart} />;
  }

  function send(value: string): void {
    if (!verify.isPending && code.wait.seconds === 0) {
      verify.mutate({ kind: code.kind, value });
    }
  }

  function submit(): void {
    if (code.whole) {
      send(code.value);
    } else {
      code.demand();
    }
  }

  // What was wrong with one kind of code says nothing about the other.
  const error = verify.variables?.kind === code.kind ? verify.error : null;
  const busy = verify.isPending || verify.isSuccess;
  const takesCodes = partial.methods.includes("totp");
  return (
    <Form onSubmit={submit}>
      {takesCodes && (
        <>
          <Refusal error={error} code={code} />
          <CodeField code={code} error={hasCode(error, "invalid_code") ? error?.message : undefined} busy={busy} autoFocus onWhole={send} />
          <Button type="submit" size="md" fullWidth loading={busy} disabled={code.wait.seconds > 0}>
            {code.wait.seconds > 0 ? `Wait ${toClock(code.wait.seconds)}` : "Log in"}
          </Button>
        </>
      )}
      {partial.methods.includes("passkey") && (
        <PasskeyButton asking={passkey} size="md" isOnlyWay={!takesCodes} onClick={() => passkey.mutate()}>
          Use a passkey
        </PasskeyButton>
      )}
      <Group justify="space-between" gap="xs">
        <Dimmed role="timer">Time left: {toClock(secondsLeft)}</Dimmed>
        <Anchor component="button" type="button" size="sm" onClick={onRestart}>
          Back to the password
        </Anchor>
      </Group>
      <VisuallyHidden role="status">{secondsLeft <= SOON_OVER_SECONDS ? "Less than a minute left." : ""}</VisuallyHidden>
    </Form>
  );
}

function Refusal({ error, code }: { readonly error: Error | null; readonly code: CodeState }) {
  const { seconds } = code.wait;
  if (seconds > 0) {
    return (
      <Alert color="yellow" role="alert" title={code.kind === "totp" ? "Codes are locked for now" : "Backup codes are locked for now"}>
        Too many wrong codes. {code.kind === "totp" ? "The app's codes" : "Backup codes"} are looked at again in{" "}
        <span role="timer">{toClock(seconds)}</span>.
        {code.kind === "totp" && (
          <>
            {" A backup code still works: "}
            <Anchor component="button" type="button" inherit underline="always" onClick={code.switchKind}>
              use one now
            </Anchor>
            .
          </>
        )}
      </Alert>
    );
  }
  if (error === null || hasCode(error, "invalid_code") || hasStatus(error, 429)) {
    return null;
  }
  return <Failed error={error} title="That did not work" />;
}

function Over({ why, onRestart }: { readonly why: string; readonly onRestart: () => void }) {
  return (
    <Stack gap="md">
      <Alert color="yellow" role="alert" title="This login has expired">
        {why}
      </Alert>
      <Button size="md" fullWidth autoFocus onClick={onRestart}>
        Start over
      </Button>
    </Stack>
  );
}

const verifyCode = (body: VerifySecondFactorRequest) =>
  identity.post("/login/verify-2fa", { body, answer: verifySecondFactorAnswerSchema, anonymous: true });
