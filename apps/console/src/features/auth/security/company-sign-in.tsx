import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Sso, TestSsoRequest } from "@sightline/identity/contract";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { removeSso, ssoQuery, testSso } from "#features/auth/api/sso.ts";
import { useStepUp } from "#features/auth/step-up.ts";
import { useChange } from "#http/use-change.ts";
import { ConfirmDialog } from "#ui/kit/dialogs.tsx";
import { Failed } from "#ui/kit/failed-change.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { CompanyDialog } from "./company-dialog.tsx";
import { CompanyChecks } from "./company-checks.tsx";
import { CompanyDomains } from "./company-domains.tsx";
import classes from "./company-sign-in.module.css";
import { StepTitle } from "./step-title.tsx";

/** The organization's own provider: set up, tested, changed and removed. */
export function CompanySignInSection() {
  const sso = useQuery(ssoQuery);
  const [isOpen, setOpen] = useState(false);
  return (
    <Paper p="lg" component="section" aria-label="Company sign-in">
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="md">
          <StepTitle title="Company sign-in">
            Single sign-on (SSO) with your own provider by OpenID Connect, such as Entra ID, Google Workspace, Okta or Keycloak.
          </StepTitle>
          {sso.data?.sso === null && (
            <Button variant="default" onClick={() => setOpen(true)}>
              Set up
            </Button>
          )}
        </Group>
        {sso.data === undefined ? (
          <Unanswered query={sso} failed="Company sign-in could not be looked up" loading={<LoadingRows rows={1} />} />
        ) : (
          sso.data.sso !== null && <Configured sso={sso.data.sso} onChange={() => setOpen(true)} />
        )}
      </Stack>
      {sso.data !== undefined && isOpen && (
        <CompanyDialog sso={sso.data.sso} redirectUri={sso.data.redirect_uri} onClose={() => setOpen(false)} />
      )}
    </Paper>
  );
}

function Configured({ sso, onChange }: { readonly sso: Sso; readonly onChange: () => void }) {
  const withStepUp = useStepUp();
  const [isRemoving, setRemoving] = useState(false);
  const test = useChange({ send: (sent: TestSsoRequest, api) => withStepUp(() => api.request(testSso(sent))) });
  const remove = useChange({
    send: (_, api) => withStepUp(() => api.request(removeSso)),
    refreshes: [ssoQuery.queryKey],
    onSuccess() {
      notifications.show({ color: "green", title: "Company sign-in removed", message: "Everybody logs in by password again." });
      setRemoving(false);
    },
  });
  return (
    <>
      <dl className={classes.facts}>
        <Fact name="Provider">
          {sso.name}, {sso.issuer}
        </Fact>
        <Fact name="Accounts">{sso.creates_accounts ? "made at the first sign-in" : "made by admins alone"}</Fact>
        <Fact name="Roles">{rolesInWords(sso)}</Fact>
        <Fact name="Passwords">
          {sso.enforced
            ? `refused for verified domains, but for ${sso.break_glass.length === 1 ? "one admin" : `${sso.break_glass.length} admins`} kept for emergencies`
            : "work beside it"}
        </Fact>
        <Fact name="Last sign-in">{sso.last_login_at === null ? "none yet" : <TimeStamp at={sso.last_login_at} />}</Fact>
      </dl>
      <CompanyDomains proofs={sso.domain_proofs} />
      <Failed error={test.error} title="The provider was not tested" />
      {test.data !== undefined && <CompanyChecks checks={test.data.checks} />}
      <Group gap="xs">
        <Button onClick={onChange}>Change</Button>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate({ issuer: sso.issuer, client_id: sso.client_id })}>
          Test
        </Button>
        <Button variant="default" onClick={() => setRemoving(true)}>
          Remove
        </Button>
      </Group>
      <ConfirmDialog
        opened={isRemoving}
        title="Remove company sign-in?"
        change={remove}
        failed="Company sign-in was not removed"
        confirm="Remove"
        onConfirm={() => remove.mutate()}
        onClose={() => setRemoving(false)}
      >
        <Text>
          Nobody signs in with {sso.name} any more, and sessions that it opened end. Accounts stay; who has no password needs a new one from
          an admin or by mail.
        </Text>
      </ConfirmDialog>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function rolesInWords({ role_claim: claim, default_role: fallback }: Sso): string {
  if (claim === null) {
    return "given by admins here; new accounts are members";
  }
  return `by the claim “${claim}”; ${fallback === null ? "whoever has none of its values is refused" : "everybody else is a member"}`;
}
