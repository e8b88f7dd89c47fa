import { createContext, use } from "react";

/**
 * Runs an action, and when the API wants to know again who is there (403 `step_up_required`) asks for the password and
 * the code, then runs it once more. Rejects with the code `step_up_cancelled` when the person closes that dialog.
 */
export type WithStepUp = <Result>(action: () => Promise<Result>) => Promise<Result>;

export const StepUpContext = createContext<WithStepUp | undefined>(undefined);

/** For a mutation: `mutationFn: () => withStepUp(() => createAccount(api, account))`. */
export function useStepUp(): WithStepUp {
  const withStepUp = use(StepUpContext);
  if (withStepUp === undefined) {
    throw new Error("useStepUp is used outside of StepUpProvider");
  }
  return withStepUp;
}
