import { Alert, Button, Group, Paper, Stack } from "@mantine/core";
import { Link, getRouteApi } from "@tanstack/react-router";
import { Passkeys } from "#features/auth/security/passkeys.tsx";
import { mustSetUpSecondFactor, useMe } from "#features/auth/api/me.ts";
import { formatTimeAndZone } from "#ui/words/format.ts";
import { PolicySection } from "#features/auth/security/policy.tsx";
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
  const isDue = mustSetUpSecondFactor(me);
  return (
    <Page>
      <PageHeader title="Security" description={`How ${me.email} logs in, and where.`} />
      <Stack gap="lg">
        {isDue && (
          <Alert color="yellow" title="Your organisation asks admins for a second factor">
            Set it up to go on: everything else opens then.
          </Alert>
        )}
        {!isDue && me.second_factor_due !== null && (
          <Alert color="yellow" title="Set up a second factor soon">
            Your organisation asks every admin for one from {formatTimeAndZone(new Date(me.second_factor_due))} on.
          </Alert>
        )}
        {me.role === "admin" ? (
          <SecondFactor
            email={me.email}
            isSetupAskedFor={setup !== undefined}
            onSetupBegun={() => void navigate({ search: {}, replace: true, resetScroll: false })}
          />
        ) : (
          <Paper p="lg" component="section" aria-label="Two-step login">
            <StepTitle title="Two-step login">
              Codes of an authenticator app are for admins, who can change accounts and settings. Add a passkey, and your password alone no
              longer opens this account.
            </StepTitle>
          </Paper>
        )}
        <Passkeys />
        <Paper p="lg" component="section" aria-label="Password">
          <Group justify="space-between" align="flex-start" gap="md">
            <StepTitle title="Password">Changing it ends your other sessions.</StepTitle>
            <Button component={Link} to="/account/password" variant="default">
              Change password
            </Button>
          </Group>
        </Paper>
        {!isDue && me.role === "admin" && <PolicySection />}
        {!isDue && <SessionList />}
      </Stack>
    </Page>
  );
}
