import { Alert, type MantineStyleProps } from "@mantine/core";
import { failureTitle } from "./failure-title.ts";

/** Why a change was refused, headed by `title`, or that nobody knows whether it was made; nothing while there is no error. */
export function FailedChange({
  error,
  title,
  ...margins
}: { readonly error: Error | null; readonly title: string } & Pick<MantineStyleProps, "mt" | "mb" | "mx">) {
  return error === null ? null : (
    <Alert color="red" role="alert" title={failureTitle(error, title)} {...margins}>
      {error.message}
    </Alert>
  );
}
