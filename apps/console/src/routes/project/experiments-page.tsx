import { getRouteApi } from "@tanstack/react-router";
import { ExperimentList } from "#features/experiments/components/experiment-list.tsx";
import { HowToRun } from "#features/experiments/components/how-to-run.tsx";
import { NoMatch } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { Button } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

const route = getRouteApi("/signed-in/projects/$projectId/experiments");

export function ExperimentsPage() {
  const { projectId } = route.useParams();
  const { branch } = route.useSearch();
  const navigate = route.useNavigate();
  const showAll = () => void navigate({ search: {}, resetScroll: false });
  return (
    <WidePage>
      <PageHeader title="Experiments" description="Your agent over a dataset, commit by commit: is it better, worse or the same?">
        {branch !== undefined && (
          <Button variant="default" rightSection={<IconX size={14} />} aria-label={`Drop the branch ${branch}`} onClick={showAll}>
            Branch {branch}
          </Button>
        )}
      </PageHeader>
      <ExperimentList
        projectId={projectId}
        branch={branch}
        empty={
          branch === undefined ? (
            <HowToRun projectId={projectId} />
          ) : (
            <NoMatch
              title={`No experiments of ${branch}`}
              description="None was run on this branch."
              all="Show all experiments"
              onAll={showAll}
            />
          )
        }
      />
    </WidePage>
  );
}
