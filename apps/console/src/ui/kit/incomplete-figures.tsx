import { Alert } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { TimeStamp } from "#ui/time/time-stamp.tsx";

/** Says that figures lack hours that could not be counted, and since when. */
export function IncompleteFigures({ what, since }: { readonly what: string; readonly since: string }) {
  return (
    <Alert icon={<IconAlertTriangle />} color="yellow" role="status" py="xs">
      {what} could not be counted and may be missing here, first noticed <TimeStamp at={since} />. Counting is retried; the reason is in the
      server&apos;s log.
    </Alert>
  );
}
