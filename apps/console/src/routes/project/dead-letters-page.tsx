import { Anchor, SegmentedControl } from "@mantine/core";
import type { Gap } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { DeadLetterList } from "#features/ingestion/components/dead-letter-list.tsx";
import { GapList } from "#features/ingestion/components/gap-list.tsx";
import { LetterModal } from "#features/ingestion/components/letter-modal.tsx";
import { letterStateOf } from "#features/ingestion/letter-states.ts";
import { projectQuery } from "#features/projects/api/projects.ts";
import { ForOwners } from "#features/projects/settings/owners-only.tsx";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/dead-letters");

export function DeadLettersPage() {
  const { projectId } = route.useParams();
  const { show, state, letter } = route.useSearch();
  const navigate = route.useNavigate();
  const isGaps = show === "gaps";
  return (
    <WidePage>
      <PageHeader
        title={isGaps ? "Lost events" : "Dead letters"}
        description={
          isGaps
            ? "Events that an application sent but that never arrived, found by gaps in their numbers."
            : "Events sent to this project that could not be read, masked or written."
        }
      >
        <SegmentedControl
          aria-label="What to show"
          data={[
            { value: "letters", label: "Set aside" },
            { value: "gaps", label: "Lost" },
          ]}
          value={isGaps ? "gaps" : "letters"}
          onChange={(value) => void navigate({ search: { show: value === "gaps" ? value : undefined }, replace: true })}
        />
      </PageHeader>
      {isGaps && <GapList projectId={projectId}>{(gap) => <TracesOf projectId={projectId} gap={gap} />}</GapList>}
      {!isGaps && (
        <OwnedLetters projectId={projectId}>
          <DeadLetterList
            projectId={projectId}
            state={letterStateOf(state)}
            onState={(wanted) => void navigate({ search: { state: wanted === "open" ? undefined : wanted }, replace: true })}
            onOpen={(id) => void navigate({ search: { state, letter: id }, resetScroll: false })}
          />
          <LetterModal
            projectId={projectId}
            letterId={letter}
            onClose={() => void navigate({ search: { state }, replace: true, resetScroll: false })}
          />
        </OwnedLetters>
      )}
    </WidePage>
  );
}

/** Entries are raw: nothing in them was masked. */
function OwnedLetters({ projectId, children }: { readonly projectId: string; readonly children: ReactNode }) {
  const project = useQuery(projectQuery(projectId));
  if (project.data === undefined) {
    return <Unanswered query={project} failed="The project could not be loaded" />;
  }
  return (
    <ForOwners project={project.data} what="see them, since nothing in them is masked">
      {children}
    </ForOwners>
  );
}

function TracesOf({ projectId, gap }: { readonly projectId: string; readonly gap: Gap }) {
  const [from, to] = [gap.producer_first_event_at ?? undefined, gap.producer_last_event_at ?? undefined];
  return (
    <Anchor component={Link} to="/projects/$projectId/traces" params={{ projectId }} search={{ from, to }} inherit>
      Of that time
    </Anchor>
  );
}
