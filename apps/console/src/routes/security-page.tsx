import { Alert, Button, Group, Paper, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, getRouteApi } from "@tanstack/react-router";
import { Passkeys } from "#features/auth/security/passkeys.tsx";
import { mustSetUpSecondFactor, useMe } from "#features/auth/api/me.ts";
import { formatTimeAndZone } from "#ui/words/format.ts";
import { CompanySignInSection } from "#features/auth/security/company-sign-in.tsx";
import { PolicySection } from "#features/auth/security/policy.tsx";
import { SecondFactor } from "#features/auth/security/second-factor.tsx";
import { CompanyDirectory } from "#features/directory/components/company-directory.tsx";
import { useStepUp } from "#features/auth/step-up.ts";
import { SessionList } from "#features/auth/security/session-list.tsx";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { TrustedJobs } from "#features/workloads/trusted-jobs.tsx";
import { StepTitle } from "#features/auth/security/step-title.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/admin/security");

export function SecurityPage() {
  const { setup } = route.useSearch();
  const navigate = route.useNavigate();
  const me = useMe();
  const withStepUp = useStepUp();
  const isDue = mustSetUpSecondFactor(me);
  return (
    <Page>
      <PageHeader title="Security" description={`Sign-in settings and active sessions for ${me.email}.`} />
      <Stack gap="lg">
        {isDue && (
          <Alert color="yellow" title="Your organization requires 2FA for admins">
            Set it up to continue.
          </Alert>
        )}
        {!isDue && me.second_factor_due !== null && (
          <Alert color="yellow" title="Set up 2FA soon">
            Your organization requires it for every admin from {formatTimeAndZone(new Date(me.second_factor_due))}.
          </Alert>
        )}
        {me.role === "admin" ? (
          <SecondFactor
            email={me.email}
            isSetupAskedFor={setup !== undefined}
            onSetupBegun={() => void navigate({ search: {}, replace: true, resetScroll: false })}
          />
        ) : (
          <Paper p="lg" component="section" aria-label="Two-factor authentication (2FA)">
            <StepTitle title="Two-factor authentication (2FA)">
              Authenticator apps are for admins, who can change accounts and settings.
              {me.may_add_passkeys && " Add a passkey, and your password alone no longer opens this account."}
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
        {!isDue && <SessionList />}
        {!isDue && me.role === "admin" && (
          <>
            <Title order={2} fz="lg" mt="md">
              Your organization
            </Title>
            <PolicySection />
            <CompanySignInSection />
            <CompanyDirectory withStepUp={withStepUp} />
            <Jobs />
          </>
        )}
      </Stack>
    </Page>
  );
}

/** Trusts jobs with what there is to trust them with. */
function Jobs() {
  const repositories = useQuery(repositoriesQuery).data ?? [];
  const projects = useQuery(projectsQuery).data ?? [];
  return (
    <TrustedJobs
      repositories={repositories.map(({ id, full_name: label }) => ({ value: id, label }))}
      projects={projects.map(({ id, name }) => ({ value: id, label: name }))}
      withStepUp={useStepUp()}
    />
  );
}
