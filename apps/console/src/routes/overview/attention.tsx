import { Paper, Text, Title } from "@mantine/core";
import type { Repository } from "@sightline/code-index/contract";
import type { Project, TraceSummary } from "@sightline/observability/contract";
import { IconAlertTriangle, IconCircleCheck, IconGitBranch, IconTimeline } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { LoadingRows } from "#ui/list-states.tsx";
import { TimeStamp } from "#ui/time-stamp.tsx";
import classes from "./attention.module.css";

export type Trouble =
  | { readonly kind: "repository"; readonly repository: Repository }
  | { readonly kind: "trace"; readonly project: Project; readonly trace: TraceSummary };

export function Attention({
  troubles,
  error,
}: {
  /** Undefined until everything was asked. */
  readonly troubles: readonly Trouble[] | undefined;
  /** Why it can't be told. */
  readonly error: Error | null;
}) {
  return (
    <Paper component="section" className={classes.panel}>
      <Title order={2} className={classes.title}>
        Needs attention
      </Title>
      {troubles === undefined && error !== null && (
        <Text className={classes.fine} c="dimmed" role="alert">
          <IconAlertTriangle size={18} aria-hidden="true" />
          Not known at the moment: {error.message}
        </Text>
      )}
      {troubles === undefined && error === null && (
        <div className={classes.loading}>
          <LoadingRows rows={3} />
        </div>
      )}
      {troubles?.length === 0 && (
        <Text className={classes.fine} c="dimmed" data-fine>
          <IconCircleCheck size={18} aria-hidden="true" />
          Nothing failed lately.
        </Text>
      )}
      {troubles !== undefined && troubles.length > 0 && (
        <ul className={classes.list}>
          {troubles.map((trouble) => (
            <li key={trouble.kind === "repository" ? trouble.repository.id : trouble.trace.id}>
              {trouble.kind === "repository" ? <FailedRepository {...trouble} /> : <FailedTrace {...trouble} />}
            </li>
          ))}
        </ul>
      )}
    </Paper>
  );
}

function FailedRepository({ repository }: { readonly repository: Repository }) {
  return (
    <>
      <IconGitBranch size={17} aria-hidden="true" />
      <div className={classes.words}>
        <Link to="/code/repos">{repository.full_name}</Link>
        <span className={classes.reason}>{repository.last_error ?? "could not be indexed"}</span>
      </div>
    </>
  );
}

function FailedTrace({ project, trace }: { readonly project: Project; readonly trace: TraceSummary }) {
  return (
    <>
      <IconTimeline size={17} aria-hidden="true" />
      <div className={classes.words}>
        <Link to="/projects/$projectId/traces/$traceId" params={{ projectId: project.id, traceId: trace.id }}>
          {trace.name}
        </Link>
        <span className={classes.reason}>failed in {project.name}</span>
      </div>
      <span className={classes.time}>
        <TimeStamp at={trace.started_at} />
      </span>
    </>
  );
}
