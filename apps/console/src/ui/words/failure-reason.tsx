import classes from "./failure-reason.module.css";
import { readGitFailure } from "./git-failure.ts";

type FailureReasonProps = {
  readonly message: string;
  /** Where what is around it is red. */ readonly quiet?: boolean;
};

/** Why an index could not be made; what git wrote itself is folded away below. */
export function FailureReason({ message, quiet = false }: FailureReasonProps) {
  const { words, said } = readGitFailure(message);
  return (
    <div className={classes.reason} data-quiet={quiet || undefined}>
      {words}
      {said !== undefined && (
        <details>
          <summary className={classes.summary}>What git said</summary>
          <pre className={classes.said}>{said}</pre>
        </details>
      )}
    </div>
  );
}
