import { Stack } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { meQuery } from "#features/auth/api/me.ts";
import { secondFactorQuery } from "#features/auth/api/second-factor.ts";
import { codeIndexHealthQuery, observabilityHealthQuery } from "#features/health/api/health.ts";
import { HealthCard } from "#features/health/components/health-card.tsx";
import { detailedHealth, simpleHealth } from "#features/health/health-of.ts";
import { projectsQuery } from "#features/projects/api/projects.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { tokensQuery } from "#features/tokens/api/tokens.ts";
import { failedTracesQuery } from "#features/traces/api/traces.ts";
import { useApi } from "#http/api-context.ts";
import { plural } from "#ui/format.ts";
import { PageHeader } from "#ui/page-header.tsx";
import { Page } from "#ui/page.tsx";
import { Attention, type Trouble } from "./overview/attention.tsx";
import { FirstSteps, type Step } from "./overview/first-steps.tsx";
import classes from "./overview-page.module.css";

const WATCHED_PROJECTS = 5;
const FAILURES_PER_PROJECT = 3;

export function OverviewPage() {
  const api = useApi();
  const me = useQuery(meQuery(api));
  const repositories = useQuery(repositoriesQuery(api));
  const tokens = useQuery(tokensQuery(api));
  const projects = useQuery(projectsQuery(api));
  const codeIndex = useQuery(codeIndexHealthQuery(api));
  const observability = useQuery(observabilityHealthQuery(api));

  const isAdmin = me.data?.role === "admin";
  const secondFactor = useQuery({ ...secondFactorQuery(api), enabled: isAdmin });

  const steps: readonly Step[] = [
    ...(isAdmin ? [{ id: "second_factor", done: secondFactor.data?.totp_enabled } as const] : []),
    { id: "repository", done: repositories.data?.some(({ index_status: status }) => status === "ready") },
    { id: "token", done: tokens.data?.some(({ revoked_at: revoked }) => revoked === null) },
    { id: "project", done: projects.data === undefined ? undefined : projects.data.length > 0 },
    { id: "trace", done: projects.data?.some(({ last_trace_at: last }) => last !== null) },
  ];
  return (
    <Page>
      <PageHeader title="Overview" />
      <Stack gap="lg">
        <FirstSteps steps={steps} />
        <div className={classes.cards}>
          <HealthCard name="Code index" purpose="Search over your repositories, for people and assistants" health={simpleHealth(codeIndex)}>
            {repositories.data !== undefined && (
              <Link to="/code/repos" className={classes.link}>
                {plural(repositories.data.length, "repository", "repositories")}
              </Link>
            )}
          </HealthCard>
          <HealthCard name="Observability" purpose="What your agents do, step by step" health={detailedHealth(observability)}>
            {projects.data !== undefined && (
              <Link to="/projects" className={classes.link}>
                {plural(projects.data.length, "project", "projects")}
                {`, ${plural(
                  projects.data.reduce((sum, project) => sum + project.recent_traces, 0),
                  "trace",
                  "traces",
                )} in 24 h`}
              </Link>
            )}
          </HealthCard>
          <HealthCard name="Identity" purpose="Accounts, logins and the tokens the others trust" health={simpleHealth(me)}>
            {me.data !== undefined && (
              <span>
                {me.data.tenant.name}, as {me.data.role}
              </span>
            )}
          </HealthCard>
        </div>
        <Attention troubles={useTroubles()} error={repositories.error ?? projects.error} />
      </Stack>
    </Page>
  );
}

/** What failed lately; undefined until everything was asked. */
function useTroubles(): readonly Trouble[] | undefined {
  const api = useApi();
  const repositories = useQuery(repositoriesQuery(api));
  const projects = useQuery(projectsQuery(api));
  const watched = (projects.data ?? [])
    .filter(({ last_trace_at: last }) => last !== null)
    .toSorted((a, b) => (b.last_trace_at ?? "").localeCompare(a.last_trace_at ?? ""))
    .slice(0, WATCHED_PROJECTS);
  const failed = useQueries({ queries: watched.map(({ id }) => failedTracesQuery(api, id, FAILURES_PER_PROJECT)) });
  if (repositories.data === undefined || projects.data === undefined) {
    return undefined;
  }
  return [
    ...repositories.data
      .filter(({ last_error: error, index_status: status }) => error !== null || status === "failed")
      .map((repository): Trouble => ({ kind: "repository", repository })),
    ...watched.flatMap((project, index) => (failed[index]?.data?.items ?? []).map((trace): Trouble => ({ kind: "trace", project, trace }))),
  ];
}
