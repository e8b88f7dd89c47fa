import { Alert, type MantineStyleProps } from "@mantine/core";
import { failureTitle } from "./failure-title.ts";

type FailedProps = { readonly error: Error | null; readonly title: string } & Pick<MantineStyleProps, "mt" | "mb" | "mx">;

/** Why something was refused, headed by `title`; nothing while there is no error. */
export function Failed({ error, title, ...margins }: FailedProps) {
  return error === null ? null : (
    <Alert color="red" role="alert" title={title} {...margins}>
      {error.message}
    </Alert>
  );
}

/** Why a change was refused, headed by `title`, or that nobody knows whether it was made; nothing while there is no error. */
export function FailedChange({ error, title, ...margins }: FailedProps) {
  return <Failed error={error} title={error === null ? title : failureTitle(error, title)} {...margins} />;
}
