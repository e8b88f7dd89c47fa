import { Anchor } from "@mantine/core";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { GroupKind } from "#features/traces/api/trace-groups.ts";
import { GroupList, groupsAsked } from "#features/traces/groups/group-list.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

export function SessionsPage() {
  return <GroupPage kind="sessions" title="Sessions" description="Traces that belong together: a conversation, a visit." />;
}

export function UsersPage() {
  return <GroupPage kind="users" title="Users" description="Your agents' end users and what they cost." />;
}

function GroupPage({ kind, title, description }: { readonly kind: GroupKind; readonly title: string; readonly description: string }) {
  const from = `/signed-in/projects/$projectId/${kind}` as const;
  const { projectId } = useParams({ from });
  const asked = groupsAsked(kind, useSearch({ from }));
  const navigate = useNavigate();
  return (
    <WidePage>
      <PageHeader title={title} description={description} />
      <GroupList
        projectId={projectId}
        asked={asked}
        onAsk={(search) =>
          void navigate({
            to: `/projects/$projectId/${kind}`,
            params: { projectId },
            search,
            replace: (search.q ?? "") !== asked.prefix,
            resetScroll: false,
          })
        }
      >
        {({ id }) =>
          kind === "sessions" ? (
            <Anchor component={Link} to="/projects/$projectId/sessions/$sessionId" params={{ projectId, sessionId: id }} fw={550}>
              {id}
            </Anchor>
          ) : (
            <Anchor component={Link} to="/projects/$projectId/users/$userId" params={{ projectId, userId: id }} fw={550}>
              {id}
            </Anchor>
          )
        }
      </GroupList>
    </WidePage>
  );
}
