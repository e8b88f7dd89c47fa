import { Alert, Anchor, Text } from "@mantine/core";
import type { Step } from "@sightline/observability/contract";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./step-details.module.css";

type FailureProps = {
  readonly error: string | null;
  /** The step in which it arose, when it only came through here. */
  readonly cause: Step | undefined;
  /** The step around it that went on all the same. */
  readonly caughtBy?: Step | undefined;
  readonly onSelect: (id: string) => void;
};

/** Why it failed. A failure that came from below names its cause, whose message need not be said twice. */
export function Failure({ error, cause, caughtBy, onSelect }: FailureProps) {
  if (error === null && cause === undefined) {
    return null;
  }
  return (
    <Alert color="red" title={cause === undefined ? "Error" : "Failed because of a step below"}>
      {cause !== undefined && <StepLink step={cause} onSelect={onSelect} />}
      {caughtBy !== undefined && (
        <Text size="sm">
          Caught by <StepLink step={caughtBy} onSelect={onSelect} />, which went on.
        </Text>
      )}
      <pre className={classes.error} tabIndex={0} aria-label="Error message">
        <SafeText text={error ?? cause?.error ?? ""} />
      </pre>
    </Alert>
  );
}

function StepLink({ step, onSelect }: { readonly step: Step } & Pick<FailureProps, "onSelect">) {
  return (
    <Anchor component="button" type="button" fz="sm" ta="left" onClick={() => onSelect(step.id)}>
      <SafeText text={step.name} />
    </Anchor>
  );
}
