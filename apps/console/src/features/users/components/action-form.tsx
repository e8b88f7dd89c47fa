import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ACCOUNTS_KEY } from "#features/users/api/accounts.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";

/** Of every call that such a form makes, so that its dialog stays open meanwhile. */
export const ACTION_KEY = ["account action"] as const;

/** A question about an account, and the call that its answer leads to. */
export function ActionForm<Result>({
  label,
  dangerous = false,
  ready = true,
  check = () => true,
  failure,
  run,
  onDone,
  onCancel,
  children,
}: {
  /** Of the button that does it. */
  readonly label: string;
  readonly dangerous?: boolean;
  /** Whether enough was filled in to press the button. */
  readonly ready?: boolean;
  /** Looks at what was filled in when the button is pressed; false when something is shown to be wrong. */
  readonly check?: () => boolean;
  /** Title of the message when it was refused. */
  readonly failure: string;
  readonly run: () => Promise<Result>;
  readonly onDone: (result: Result) => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}) {
  const queries = useQueryClient();
  // Not waited for: a one-time password is shown, and a refusal, even where the list can't be loaded just now.
  const refresh = () => void queries.invalidateQueries({ queryKey: ACCOUNTS_KEY });
  const action = useMutation({
    mutationKey: ACTION_KEY,
    mutationFn: run,
    onSuccess: (result) => {
      onDone(result);
      refresh();
    },
    // Refused for what the list doesn't show yet, or unanswered and done all the same.
    onError: refresh,
  });

  return (
    <DialogForm
      change={action}
      failed={failure}
      submit={label}
      color={dangerous ? "red" : "iris"}
      disabled={!ready}
      focusesCancel
      onSubmit={() => ready && check() && action.mutate()}
      onCancel={onCancel}
    >
      {children}
    </DialogForm>
  );
}
