import { Alert, Anchor } from "@mantine/core";
import type { Step } from "@sightline/observability/contract";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./step-details.module.css";

type FailureProps = {
  readonly error: string | null;
  /** The step in which it arose, when it only came through here. */
  readonly cause: Step | undefined;
  readonly onSelect: (id: string) => void;
};

/** Why it failed. A failure that came from below names its cause, whose message need not be said twice. */
export function Failure({ error, cause, onSelect }: FailureProps) {
  if (error === null && cause === undefined) {
    return null;
  }
  return (
    <Alert color="red" title={cause === undefined ? "Error" : "Failed because of a step below"}>
      {cause !== undefined && (
        <Anchor component="button" type="button" fz="sm" ta="left" onClick={() => onSelect(cause.id)}>
          <SafeText text={cause.name} />
        </Anchor>
      )}
      <pre className={classes.error} tabIndex={0} aria-label="Error message">
        <SafeText text={error ?? cause?.error ?? ""} />
      </pre>
    </Alert>
  );
}
