import { Alert, Button, PasswordInput } from "@mantine/core";
import { useRef, useState } from "react";
import { Form } from "#ui/kit/form.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { hasCode } from "#http/api-error.ts";
import { rememberedPassword } from "#features/auth/typed-password.ts";
import { identity } from "#http/calls.ts";
import { useChange } from "#http/use-change.ts";
import { useApi } from "#http/api-context.ts";
import { failureTitle } from "#ui/kit/failure-title.ts";
import { formatDuration } from "#ui/words/format.ts";
import { useStepUp } from "#features/auth/step-up.ts";
import { problemWithNewPassword } from "#features/auth/new-password.ts";
import { useWait } from "./use-wait.ts";
import { fullSessionSchema } from "@sightline/identity/contract";

export function PasswordForm({ onChanged }: { readonly onChanged: () => void }) {
  const api = useApi();
  const withStepUp = useStepUp();
  const [oneTime] = useState(rememberedPassword);
  const [current, setCurrent] = useState(oneTime ?? "");
  const [chosen, setChosen] = useState("");
  const [again, setAgain] = useState("");
  const [submitted, setSubmitted] = useState(false);
  const currentField = useRef<HTMLInputElement>(null);
  const chosenField = useRef<HTMLInputElement>(null);
  const againField = useRef<HTMLInputElement>(null);
  const wait = useWait();
  const change = useChange({
    send: () =>
      withStepUp(() =>
        api.request(
          identity.post("/login/password", { body: { current_password: current, new_password: chosen }, answer: fullSessionSchema }),
        ),
      ),
    onError: wait.waitAfter,
    onSuccess(session) {
      // It ended every session, this one too.
      api.signIn(session.access_token);
      onChanged();
    },
  });
  const problem = submitted ? problemWith(current, chosen, again) : {};

  function submit(): void {
    setSubmitted(true);
    const found = problemWith(current, chosen, again);
    if (found.current !== undefined) {
      currentField.current?.focus();
    } else if (found.chosen !== undefined) {
      chosenField.current?.focus();
    } else if (found.again !== undefined) {
      againField.current?.focus();
    } else {
      change.mutate();
    }
  }

  return (
    <Form onSubmit={submit}>
      {change.error !== null && (
        <Alert color="red" role="alert" title={failureTitle(change.error, "The password was not changed")}>
          {wait.seconds > 0 ? `Too many tries. You can try again in ${formatDuration(wait.seconds * 1000)}.` : change.error.message}
        </Alert>
      )}
      {(oneTime === undefined || hasCode(change.error, "wrong_password")) && (
        <PasswordInput
          ref={currentField}
          label="Current password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ "aria-label": "Show the current password" }}
          {...typedInto(current, setCurrent)}
          error={problem.current}
        />
      )}
      <PasswordInput
        ref={chosenField}
        label="New password"
        description="12 characters or more"
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": "Show the new password" }}
        {...typedInto(chosen, setChosen)}
        error={problem.chosen}
      />
      <PasswordInput
        ref={againField}
        label="Confirm new password"
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": "Show the repeated password" }}
        {...typedInto(again, setAgain)}
        error={problem.again}
      />
      <Button type="submit" loading={change.isPending} disabled={wait.seconds > 0}>
        {wait.seconds > 0 ? `Wait ${formatDuration(wait.seconds * 1000)}` : "Set the new password"}
      </Button>
    </Form>
  );
}

type Problem = { readonly current?: string; readonly chosen?: string; readonly again?: string };

function problemWith(current: string, chosen: string, again: string): Problem {
  const weak = problemWithNewPassword(chosen);
  return {
    ...(current === "" ? { current: "Enter your current password" } : {}),
    ...(weak === undefined ? {} : { chosen: weak }),
    ...(weak === undefined && chosen !== again ? { again: "The passwords do not match" } : {}),
  };
}
