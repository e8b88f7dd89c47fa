import { Alert, Anchor } from "@mantine/core";
import type { Session } from "@sightline/observability/contract";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { kindLabel } from "#ui/words/step-kind.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./first-failure.module.css";

type FirstFailureProps = { readonly projectId: string; readonly failure: NonNullable<Session["first_failure"]> };

/** The moment where a session went wrong. */
export function FirstFailure({ projectId, failure: { trace, step } }: FirstFailureProps) {
  const hasFailed = trace.status === "failure";
  const message = step?.error ?? trace.error;
  return (
    <Alert
      variant="light"
      color={hasFailed ? "red" : "orange"}
      icon={<IconAlertTriangle />}
      title={hasFailed ? "First failure" : "First failed step (the trace went on)"}
    >
      <Anchor
        component={Link}
        inherit
        fw={600}
        underline="always"
        to="/projects/$projectId/traces/$traceId"
        params={{ projectId, traceId: trace.id }}
        search={step === null ? {} : { observation: step.id }}
      >
        {step === null ? trace.name : `${kindLabel(step.kind)} ${step.name}`}
      </Anchor>
      {step !== null && ` in ${trace.name}`}, <ExactTime at={trace.started_at} />
      {message !== null && (
        <pre className={classes.message}>
          <SafeText text={message} />
        </pre>
      )}
    </Alert>
  );
}
