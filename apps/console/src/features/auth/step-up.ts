import { createContext, use } from "react";
import type { WithStepUp } from "#http/with-step-up.ts";

export const StepUpContext = createContext<WithStepUp | undefined>(undefined);

/** For a mutation: `mutationFn: () => withStepUp(() => createAccount(api, account))`. */
export function useStepUp(): WithStepUp {
  const withStepUp = use(StepUpContext);
  if (withStepUp === undefined) {
    throw new Error("useStepUp is used outside of StepUpProvider");
  }
  return withStepUp;
}
