/**
 * Runs an action, and when the API wants to know again who is there (403 `step_up_required`) asks for the password and
 * the code, then runs it once more. Rejects with the code `step_up_cancelled` when the person closes that dialog.
 */
export type WithStepUp = <Result>(action: () => Promise<Result>) => Promise<Result>;
