import { Anchor, Text, Title } from "@mantine/core";
import type { Gap, Project } from "@sightline/observability/contract";
import { Link, getRouteApi } from "@tanstack/react-router";
import { DeadLetterList } from "#features/ingestion/components/dead-letter-list.tsx";
import { GapList } from "#features/ingestion/components/gap-list.tsx";
import { DeadLetterModal } from "#features/ingestion/components/dead-letter-modal.tsx";
import { readDeadLetterState } from "#features/ingestion/dead-letter-states.ts";
import { ForOwners } from "#features/projects/settings/owners-only.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/settings");

/** Shown to owners alone, since nothing in dead letters was masked. */
export function DeadLetters({ project }: { readonly project: Project }) {
  const { section, state, letter } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <section>
      <Heading title="Dead letters" description="Events sent to this project that could not be read, masked or written." />
      <ForOwners project={project} what="see them, since nothing in them is masked">
        <DeadLetterList
          projectId={project.id}
          state={readDeadLetterState(state)}
          onState={(wanted) => void navigate({ search: { section, state: wanted === "open" ? undefined : wanted }, replace: true })}
          onOpen={(id) => void navigate({ search: { section, state, letter: id }, resetScroll: false })}
        />
        <DeadLetterModal
          projectId={project.id}
          id={letter}
          onClose={() => void navigate({ search: { section, state }, replace: true, resetScroll: false })}
        />
      </ForOwners>
    </section>
  );
}

export function LostEvents({ projectId }: { readonly projectId: string }) {
  return (
    <section>
      <Heading title="Lost events" description="Events that an application sent but that never arrived, found by gaps in their numbers." />
      <GapList projectId={projectId}>{(gap) => <TracesOf projectId={projectId} gap={gap} />}</GapList>
    </section>
  );
}

function Heading({ title, description }: { readonly title: string; readonly description: string }) {
  return (
    <>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" mb="md">
        {description}
      </Text>
    </>
  );
}

function TracesOf({ projectId, gap }: { readonly projectId: string; readonly gap: Gap }) {
  const [from, to] = [gap.producer_first_event_at ?? undefined, gap.producer_last_event_at ?? undefined];
  return (
    <Anchor component={Link} to="/projects/$projectId/traces" params={{ projectId }} search={{ from, to }} inherit>
      From that time
    </Anchor>
  );
}
