import { Button, Group, Paper, Stack } from "@mantine/core";
import { Link, getRouteApi } from "@tanstack/react-router";
import { useMe } from "#features/auth/api/me.ts";
import { SecondFactor } from "#features/auth/security/second-factor.tsx";
import { SessionList } from "#features/auth/security/session-list.tsx";
import { StepTitle } from "#features/auth/security/step-title.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/admin/security");

export function SecurityPage() {
  const { setup } = route.useSearch();
  const navigate = route.useNavigate();
  const me = useMe();
  return (
    <Page>
      <PageHeader title="Security" description={`How ${me.email} logs in, and where.`} />
      <Stack gap="lg">
        {me.role === "admin" ? (
          <SecondFactor
            email={me.email}
            isSetupAskedFor={setup !== undefined}
            onSetupBegun={() => void navigate({ search: {}, replace: true, resetScroll: false })}
          />
        ) : (
          <Paper p="lg" component="section" aria-label="Two-step login">
            <StepTitle title="Two-step login">
              Only admins have a second factor, since only they can change accounts and settings. Your password protects this account.
            </StepTitle>
          </Paper>
        )}
        <Paper p="lg" component="section" aria-label="Password">
          <Group justify="space-between" align="flex-start" gap="md">
            <StepTitle title="Password">Changing it ends your other sessions.</StepTitle>
            <Button component={Link} to="/account/password" variant="default">
              Change password
            </Button>
          </Group>
        </Paper>
        <SessionList />
      </Stack>
    </Page>
  );
}
