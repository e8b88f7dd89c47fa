import { Button, EmptyState } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { Link, Outlet } from "@tanstack/react-router";
import { useMe } from "#features/auth/api/me.ts";
import { useTitle } from "#ui/page/use-title.ts";

/** The pages of admins, or for members whom to ask. */
export function AdminsOnly() {
  const me = useMe();
  return me.role === "admin" ? <Outlet /> : <Forbidden email={me.email} organization={me.tenant.name} />;
}

function Forbidden({ email, organization }: { readonly email: string; readonly organization: string }) {
  useTitle("For admins only");
  return (
    <EmptyState py={120} px="md" withIndicatorBackground icon={<IconLock />}>
      <EmptyState.Title order={1}>This page is for admins</EmptyState.Title>
      <EmptyState.Description maw={480}>
        You are logged in as {email}, a member of “{organization}”. Ask one of its admins to do this for you, or to make you an admin too;
        it was an admin who gave you this account.
      </EmptyState.Description>
      <EmptyState.Actions>
        <Button component={Link} to="/">
          Go to Overview
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}
