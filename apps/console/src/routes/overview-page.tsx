import { Button, Stack } from "@mantine/core";
import { useMe } from "#features/auth/api/me.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";
import { Attention } from "#routes/overview/attention.tsx";
import { FirstSteps, FirstStepsPlace, formatProgress } from "#routes/overview/first-steps.tsx";
import { LastDay } from "#routes/overview/last-day.tsx";
import { LiveAgents } from "#routes/overview/live-agents.tsx";
import { Parts } from "#routes/overview/parts.tsx";
import { RecentlyIndexed } from "#routes/overview/recently-indexed.tsx";
import { useAttentionItems } from "#routes/overview/use-attention-items.ts";
import classes from "./overview-page.module.css";
import { type Factor, factorsOfAccount } from "@sightline/identity/contract";
import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { connectionsQuery } from "#features/connections/api/connections.ts";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { tokensQuery } from "#features/tokens/api/tokens.ts";
import { type QueryResult, type ConnectedAssistant, expectedSteps, isOpen, listSteps } from "#routes/overview/steps.ts";

export function OverviewPage() {
  const me = useMe();
  const isAdmin = me.role === "admin";
  const factors = factorsOfAccount(me);
  const { steps, expected, isAway, setAway } = useFirstSteps(isAdmin, factors);
  const isShown = steps.length > 0 && !isAway;
  // While it is off it is a step, so that only who put the steps away is told of it as something that needs attention.
  const attention = useAttentionItems({ isAdmin, factors, isSecondFactorStep: !isAway });
  return (
    <Page>
      <PageHeader title="Overview">
        {steps.length > 0 && isAway && (
          <Button variant="default" onClick={() => setAway(false)}>
            First steps: {formatProgress(steps)}
          </Button>
        )}
      </PageHeader>
      <Stack gap="lg">
        {expected.length > 0 && <FirstStepsPlace steps={expected} />}
        {isShown && <FirstSteps steps={steps} onPutAway={() => setAway(true)} />}
        <Attention found={attention} />
        <LastDay />
        <div className={classes.columns}>
          <LiveAgents />
          <RecentlyIndexed />
        </div>
        <Parts isAdmin={isAdmin} />
      </Stack>
    </Page>
  );
}

/** Somebody may sit before the first call that is yet to come. */
const FIRST_CALL_MS = 2_500;
const REFRESH_MS = 15_000;

/** The first steps, and whether this browser has put them away. */
function useFirstSteps(isAdmin: boolean, factors: readonly Factor[]) {
  const [stored, store] = useLocalStorage({ key: "sightline-first-steps", defaultValue: "shown", getInitialValueInEffect: false });
  const repositories = useQuery(repositoriesQuery);
  const projects = useQuery(projectsQuery);
  const assistants = useAssistants(isAdmin);
  const answers = { isAdmin, factors, repositories, assistants, projects };
  const steps = listSteps(answers);
  const isDone = steps?.some(isOpen) === false;
  useEffect(() => {
    if (isDone && stored === "shown") {
      store("done");
    }
  }, [isDone, stored, store]);
  return {
    /** None once there is nothing left to do, and until that is known. */
    steps: steps === undefined || isDone ? [] : steps,
    /** Whether items are expected: it is not known yet, and when this browser last knew there were some. */
    expected: steps === undefined && stored === "shown" ? expectedSteps(answers) : [],
    isAway: stored === "away",
    setAway: (isAway: boolean) => store(isAway ? "away" : "shown"),
  };
}

/** The assistants with a token, which admins see, and those that were let in in the browser. */
function useAssistants(isAdmin: boolean): QueryResult<readonly ConnectedAssistant[]> {
  const tokens = useQuery({
    ...tokensQuery,
    enabled: isAdmin,
    refetchInterval: ({ state }) => (isWaiting(state.data ?? []) ? FIRST_CALL_MS : REFRESH_MS),
  });
  const connections = useQuery({
    ...connectionsQuery,
    refetchInterval: ({ state }) => (isWaiting(state.data ?? []) ? FIRST_CALL_MS : REFRESH_MS),
  });
  const error = tokens.error ?? connections.error;
  if ((isAdmin && tokens.data === undefined) || connections.data === undefined) {
    return { data: undefined, error };
  }
  const apps = connections.data.map(({ app, last_used_at }) => ({ label: app.name, last_used_at, revoked_at: null }));
  return { data: [...(tokens.data ?? []), ...apps], error };
}

function isWaiting(assistants: readonly Pick<ConnectedAssistant, "last_used_at">[]): boolean {
  return assistants.length > 0 && assistants.every(({ last_used_at: at }) => at === null);
}
