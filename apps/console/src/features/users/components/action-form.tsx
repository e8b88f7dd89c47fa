import type { WithStepUp } from "#http/with-step-up.ts";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ACCOUNTS_KEY } from "#features/users/api/accounts.ts";
import type { Api } from "#http/api.ts";
import type { Call } from "#http/send.ts";
import { useChange } from "#http/use-change.ts";
import { DialogForm } from "#ui/kit/dialogs.tsx";

/** Every call that such a form makes has this key, so that its dialog stays open meanwhile. */
export const ACTION_KEY = ["account action"] as const;

/** What all questions about accounts have in common. */
export type Asking = {
  /** Runs a call, and asks for password and code when they were given long ago. */
  readonly withStepUp: WithStepUp;
  readonly onCancel: () => void;
};

type ActionFormProps<Answer> = Asking & {
  /** What the button that does it says. */
  readonly label: string;
  readonly dangerous?: boolean;
  /** Whether enough was filled in to press the button. */
  readonly ready?: boolean;
  /** Looks at what was filled in when the button is pressed; false when something is shown to be wrong. */
  readonly check?: () => boolean;
  /** Title of the message when it was refused. */
  readonly failure: string;
  readonly send: () => Call<Answer>;
  readonly onDone: (answer: Answer) => void;
  readonly children: ReactNode;
};

/** A question about an account, and the call that its answer leads to. */
export function ActionForm<Answer>({
  withStepUp,
  label,
  dangerous = false,
  ready = true,
  check = () => true,
  failure,
  send,
  onDone,
  onCancel,
  children,
}: ActionFormProps<Answer>) {
  const queries = useQueryClient();
  // Not waited for: a one-time password is shown, and a refusal, even where the list can't be loaded just now.
  const refresh = () => void queries.invalidateQueries({ queryKey: ACCOUNTS_KEY });
  const action = useChange({
    mutationKey: ACTION_KEY,
    send: (_, api: Api) => withStepUp(() => api.request(send())),
    onSuccess(answer: Answer) {
      onDone(answer);
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
