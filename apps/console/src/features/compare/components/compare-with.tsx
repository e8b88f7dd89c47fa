import { Button } from "@mantine/core";
import { IconGitCompare } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { earlierRunsQuery, tracesToCompareQuery } from "#features/compare/api/compare.ts";

type CompareWithProps = {
  readonly projectId: string;
  readonly trace: { readonly id: string; readonly name: string; readonly started_at: string };
};

/** Leads to the comparison of a trace with the one of the same name before it; where there is none, to one that asks which. */
export function CompareWith({ projectId, trace }: CompareWithProps) {
  const earlier = useQuery(tracesToCompareQuery(projectId, earlierRunsQuery(trace)));
  const before = earlier.data?.items.find(({ id }) => id !== trace.id)?.id;
  // Most have one, so that the button seldom changes its width.
  const isFirst = earlier.data !== undefined && before === undefined;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconGitCompare size={15} />}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/projects/$projectId/compare"
          params={{ projectId }}
          search={{ a: before ?? trace.id, b: before === undefined ? undefined : trace.id }}
        />
      )}
    >
      {isFirst ? "Compare with…" : "Compare with previous"}
    </Button>
  );
}
