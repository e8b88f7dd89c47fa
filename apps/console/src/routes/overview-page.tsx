import { Button, Stack } from "@mantine/core";
import { useMe } from "#features/auth/api/me.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";
import { Attention } from "./overview/attention.tsx";
import { FirstSteps, FirstStepsPlace, progressOf } from "./overview/first-steps.tsx";
import { LiveAgents } from "./overview/live-agents.tsx";
import { Parts } from "./overview/parts.tsx";
import { RecentlyIndexed } from "./overview/recently-indexed.tsx";
import { useFirstSteps } from "./overview/use-first-steps.ts";
import { useTroubles } from "./overview/use-troubles.ts";
import classes from "./overview-page.module.css";

export function OverviewPage() {
  const me = useMe();
  const isAdmin = me.role === "admin";
  const { steps, expected, isAway, setAway } = useFirstSteps(isAdmin);
  const isShown = steps.length > 0 && !isAway;
  // While it is off it is a step, so that only who put the steps away is told of it as of a trouble.
  const troubles = useTroubles({ isAdmin, isSecondFactorStep: !isAway });
  return (
    <Page>
      <PageHeader title="Overview">
        {steps.length > 0 && isAway && (
          <Button variant="default" onClick={() => setAway(false)}>
            First steps: {progressOf(steps)}
          </Button>
        )}
      </PageHeader>
      <Stack gap="lg">
        {expected.length > 0 && <FirstStepsPlace steps={expected} />}
        {isShown && <FirstSteps steps={steps} onPutAway={() => setAway(true)} />}
        <Parts isAdmin={isAdmin} />
        <Attention troubles={troubles} />
        <div className={classes.columns}>
          <LiveAgents />
          <RecentlyIndexed />
        </div>
      </Stack>
    </Page>
  );
}
