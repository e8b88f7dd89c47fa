import { Alert, Button, PasswordInput, Stack } from "@mantine/core";
import { type SyntheticEvent, useRef, useState } from "react";
import { useChange } from "#http/use-change.ts";
import { clockOf } from "#ui/time/countdown.ts";
import { failureTitle } from "#ui/kit/failure-title.ts";
import { confirmPasswordReset } from "#features/auth/api/password-reset.ts";
import { problemWithNewPassword } from "#features/auth/new-password.ts";
import { useWait } from "./use-wait.ts";

type MailedPasswordFormProps = { readonly token: string; readonly submitLabel: string; readonly onDone: () => void };

/** A new password by the token of a mailed link; the field shows what is typed on demand, so once is enough. */
export function MailedPasswordForm({ token, submitLabel, onDone }: MailedPasswordFormProps) {
  const [chosen, setChosen] = useState("");
  const [submitted, setSubmitted] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const wait = useWait();
  const confirm = useChange({ send: () => confirmPasswordReset(token, chosen), onError: wait.waitAfter, onSuccess: onDone });
  const problem = problemWithNewPassword(chosen);

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    setSubmitted(true);
    if (problem === undefined) {
      confirm.mutate();
    } else {
      field.current?.focus();
    }
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {confirm.error !== null && (
          <Alert color="red" role="alert" title={failureTitle(confirm.error, "The password was not set")}>
            {wait.seconds > 0 ? `Too many tries. You can try again in ${clockOf(wait.seconds)}.` : confirm.error.message}
          </Alert>
        )}
        <PasswordInput
          ref={field}
          label="New password"
          description="12 characters or more; a few words make a good one"
          autoComplete="new-password"
          size="md"
          autoFocus
          visibilityToggleButtonProps={{ "aria-label": "Show the new password" }}
          value={chosen}
          error={submitted ? problem : undefined}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <Button type="submit" size="md" fullWidth loading={confirm.isPending} disabled={wait.seconds > 0}>
          {wait.seconds > 0 ? `Wait ${clockOf(wait.seconds)}` : submitLabel}
        </Button>
      </Stack>
    </form>
  );
}
