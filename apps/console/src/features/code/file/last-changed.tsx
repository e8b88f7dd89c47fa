import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { commitsQuery } from "#features/code/api/commits.ts";
import type { Branch } from "#features/code/api/files.ts";
import { useApi } from "#http/api-context.ts";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./history-panel.module.css";

/** Who changed a file last, when and why; nothing while it is not known. */
export function LastChanged({ branch, path }: { readonly branch: Branch; readonly path: string }) {
  const history = useInfiniteQuery(commitsQuery(useApi(), branch, path));
  const last = history.data?.pages[0]?.commits[0];
  return last === undefined ? null : (
    <Text size="xs" c="dimmed" className={classes.last} title={last.subject}>
      changed <TimeStamp at={last.committed_at} /> by {last.author}: {last.subject}
    </Text>
  );
}
