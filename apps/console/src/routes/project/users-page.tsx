import { Anchor } from "@mantine/core";
import { Link, getRouteApi } from "@tanstack/react-router";
import { GroupList, groupsAsked } from "#features/traces/groups/group-list.tsx";
import { PageHeader } from "#ui/page-header.tsx";
import { WidePage } from "#ui/page.tsx";

const route = getRouteApi("/signed-in/projects/$projectId/users");

export function UsersPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  return (
    <WidePage>
      <PageHeader title="Users" description="For whom traces ran, and what they came to." />
      <GroupList
        projectId={projectId}
        asked={groupsAsked("users", route.useSearch())}
        onAsk={(search) => void navigate({ search, replace: true, resetScroll: false })}
      >
        {({ id, q }) => (
          <Anchor component={Link} to="/projects/$projectId/traces" params={{ projectId }} search={{ q }} fw={550}>
            {id}
          </Anchor>
        )}
      </GroupList>
    </WidePage>
  );
}
