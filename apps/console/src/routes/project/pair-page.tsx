import { Button, Stack } from "@mantine/core";
import type { PreferRequest } from "@sightline/observability/contract";
import { IconScale } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { nextPairQuery, prefer, preferencesKey } from "#features/experiments/api/experiments.ts";
import { PairForm } from "#features/experiments/components/pair-form.tsx";
import { useChange } from "#http/use-change.ts";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import { EmptyPanel, Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/experiments/$experimentId/pairs/$baselineId");

/** Which of two experiments' outputs is better, one item after the other. */
export function PairPage() {
  const { projectId, experimentId, baselineId } = route.useParams();
  const of = { projectId, id: experimentId, baseline: baselineId };
  const next = useQuery(nextPairQuery(of));
  const say = useChange({
    send: ({ itemId, said }: { readonly itemId: string; readonly said: PreferRequest }) => prefer(of, itemId, said),
    refreshes: [preferencesKey(of)],
    refreshesAlways: true,
  });
  const { pair, items = 0, answered = 0 } = next.data ?? {};
  return (
    <WidePage>
      <PageHeader title="Compare by hand" description={next.data && `${answered} of ${items} items answered by you`}>
        <Button
          component={Link}
          variant="default"
          to="/projects/$projectId/experiments/$experimentId"
          params={{ projectId, experimentId }}
          search={{ baseline: baselineId }}
        >
          Result
        </Button>
      </PageHeader>
      <Stack gap="md">
        <FailedChange error={say.error} title="The answer was not saved" />
        {pair === undefined || next.error !== null ? (
          <Unanswered query={next} failed="The next item could not be loaded" />
        ) : pair === null ? (
          <EmptyPanel
            icon={<IconScale />}
            title={items === 0 ? "Nothing to compare" : "All compared"}
            description={items === 0 ? "The two ran no item of the same revision." : "The comparison says what people and judges prefer."}
          />
        ) : (
          <PairForm
            key={pair.item_id}
            projectId={projectId}
            pair={pair}
            isSaving={say.isPending}
            onSay={(said) => say.mutate({ itemId: pair.item_id, said })}
          />
        )}
      </Stack>
    </WidePage>
  );
}
