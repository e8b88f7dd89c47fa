import { Anchor, Button, Group, Paper, SegmentedControl, Stack, Title } from "@mantine/core";
import { IconDatabasePlus, IconMessages } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { AddToDataset } from "#features/datasets/components/add-to-dataset.tsx";
import { projectQuery } from "#features/projects/api/projects.ts";
import { sessionQuery, turnsQuery } from "#features/traces/api/sessions.ts";
import { FirstFailure } from "#features/traces/session/first-failure.tsx";
import { GroupFigures } from "#features/traces/session/group-figures.tsx";
import { TurnList } from "#features/traces/session/turn-list.tsx";
import { hasCode } from "#http/api-error.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { LoadMore } from "#ui/kit/load-more.tsx";
import { MissingPage } from "#ui/page/missing-page.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { Dimmed } from "#ui/words/dimmed.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/sessions/$sessionId");

/** A session as a conversation over its traces. */
export function SessionPage() {
  const { projectId, sessionId } = route.useParams();
  const order = route.useSearch().order === "desc" ? "desc" : "asc";
  const navigate = route.useNavigate();
  const session = useQuery(sessionQuery(projectId, sessionId));
  const { data: project } = useQuery(projectQuery(projectId));
  const [isAdding, setAdding] = useState(false);
  const turns = useInfiniteQuery(turnsQuery(projectId, sessionId, order));
  if (session.data === undefined && hasCode(session.error, "session_not_found", "invalid_request")) {
    return (
      <MissingPage
        documentTitle="No such session"
        icon={<IconMessages />}
        title="This session is not here"
        description="No traces found. They may have expired."
      >
        <Button component={Link} to="/projects/$projectId/sessions" params={{ projectId }}>
          All sessions
        </Button>
      </MissingPage>
    );
  }
  return (
    <WidePage>
      <PageHeader
        documentTitle={`${sessionId} · Session`}
        title={
          <Group gap={6} wrap="nowrap">
            {sessionId} <CopyableId value={sessionId} label="session id" length={0} />
          </Group>
        }
        description={
          session.data !== undefined && (
            <>
              Session
              {session.data.users.map((userId, index) => (
                <span key={userId}>
                  {index === 0 ? " of " : ", "}
                  <Anchor
                    component={Link}
                    inherit
                    underline="always"
                    to="/projects/$projectId/users/$userId"
                    params={{ projectId, userId }}
                  >
                    {userId}
                  </Anchor>
                </span>
              ))}
              , <ExactTime at={session.data.first_at} />
              {session.data.last_at !== session.data.first_at && (
                <>
                  {" to "}
                  <ExactTime at={session.data.last_at} />
                </>
              )}
            </>
          )
        }
      >
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link {...props} to="/projects/$projectId/traces" params={{ projectId }} search={{ q: session.data?.q ?? "" }} />
          )}
        >
          Show as a list of traces
        </Button>
        {session.data !== undefined && project !== undefined && project.my_role !== "viewer" && (
          <Button leftSection={<IconDatabasePlus size={16} />} onClick={() => setAdding(true)}>
            Add to dataset
          </Button>
        )}
        {session.data !== undefined && isAdding && (
          <AddToDataset
            projectId={projectId}
            from={{ session_id: sessionId, count: session.data.traces }}
            onClose={() => setAdding(false)}
          />
        )}
      </PageHeader>
      {session.data === undefined ? (
        <Unanswered query={session} failed="The session could not be loaded" />
      ) : (
        <Stack gap="md">
          <Paper p="md">
            <GroupFigures group={session.data} scores={session.data.scores} />
          </Paper>
          {session.data.first_failure !== null && <FirstFailure projectId={projectId} failure={session.data.first_failure} />}
          <Group justify="space-between" mt="xs">
            <Title order={2}>Conversation</Title>
            <SegmentedControl
              aria-label="Order of the turns"
              value={order}
              onChange={(value) => void navigate({ search: value === "desc" ? { order: value } : {}, replace: true, resetScroll: false })}
              data={[
                { value: "asc", label: "Oldest first" },
                { value: "desc", label: "Newest first" },
              ]}
            />
          </Group>
          {turns.data === undefined ? (
            <Unanswered query={turns} failed="The conversation could not be loaded" />
          ) : (
            <>
              {turns.data.pages[0]?.is_counting === true && (
                <Dimmed role="status">The newest turns are still being counted, some may be missing here.</Dimmed>
              )}
              <TurnList projectId={projectId} turns={turns.data.pages.flatMap(({ items }) => items)} />
              <LoadMore list={turns} />
            </>
          )}
        </Stack>
      )}
    </WidePage>
  );
}
