import { Anchor, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconUser } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { projectQuery } from "#features/projects/api/projects.ts";
import { userQuery } from "#features/traces/api/sessions.ts";
import { GroupTable } from "#features/traces/groups/group-list.tsx";
import { DayBars } from "#features/traces/session/day-bars.tsx";
import { DeleteUser } from "#features/traces/session/delete-user.tsx";
import { GroupFigures } from "#features/traces/session/group-figures.tsx";
import { hasCode } from "#http/api-error.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { MissingPage } from "#ui/page/missing-page.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";
import { ExactTime } from "#ui/time/time-stamp.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/users/$userId");

/** A user of the observed application, day by day and session by session. */
export function UserPage() {
  const { projectId, userId } = route.useParams();
  const navigate = route.useNavigate();
  const user = useQuery(userQuery(projectId, userId));
  const project = useQuery(projectQuery(projectId));
  if (user.data === undefined && hasCode(user.error, "user_not_found", "invalid_request")) {
    return (
      <MissingPage
        documentTitle="No such user"
        icon={<IconUser />}
        title="This user is not here"
        description="No traces found. They may have expired."
      >
        <Button component={Link} to="/projects/$projectId/users" params={{ projectId }}>
          All users
        </Button>
      </MissingPage>
    );
  }
  return (
    <WidePage>
      <PageHeader
        documentTitle={`${userId} · User`}
        title={
          <Group gap={6} wrap="nowrap">
            {userId} <CopyableId value={userId} label="user id" length={0} />
          </Group>
        }
        description={
          user.data !== undefined && (
            <>
              User, first seen <ExactTime at={user.data.first_at} />, last <ExactTime at={user.data.last_at} />
            </>
          )
        }
      >
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link {...props} to="/projects/$projectId/traces" params={{ projectId }} search={{ q: user.data?.q ?? "" }} />
          )}
        >
          Show as a list of traces
        </Button>
        {project.data?.my_role === "owner" && (
          <DeleteUser
            projectId={projectId}
            userId={userId}
            onBegun={() => void navigate({ to: "/projects/$projectId/settings", params: { projectId }, search: { section: "deletions" } })}
          />
        )}
      </PageHeader>
      {user.data === undefined ? (
        <Unanswered query={user} failed="The user could not be loaded" />
      ) : (
        <Stack gap="md">
          <Paper p="md">
            <GroupFigures group={user.data} scores={user.data.scores} />
          </Paper>
          <Paper p="md" component="section">
            <Title order={2} mb="xs">
              By day (UTC)
            </Title>
            <DayBars days={user.data.days} />
          </Paper>
          <section>
            <Title order={2} mb="xs">
              Sessions
            </Title>
            <Paper>
              {user.data.sessions.length === 0 ? (
                <Text p="md" c="dimmed">
                  The traces of this user belong to no session.
                </Text>
              ) : (
                <GroupTable title="Session" groups={user.data.sessions}>
                  {({ id }) => (
                    <Anchor component={Link} to="/projects/$projectId/sessions/$sessionId" params={{ projectId, sessionId: id }} fw={550}>
                      {id}
                    </Anchor>
                  )}
                </GroupTable>
              )}
            </Paper>
          </section>
        </Stack>
      )}
    </WidePage>
  );
}
