import type { StackError, StackFrame, StackTrace } from "@sightline/observability/contract";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { CodePlace } from "./code-link.tsx";
import { Fold } from "./fold.tsx";
import classes from "./stack-view.module.css";

type StackViewProps = {
  readonly stack: StackTrace;
  /** The repository and commit of the trace, where the stack does not say them. */
  readonly origin: Pick<StackTrace, "repo" | "commit">;
};

/** From where a failure came: the application's calls, newest first, those of libraries folded, and below each error what is behind it. */
export function StackView({ stack, origin }: StackViewProps) {
  const { errors, omitted = 0, text } = stack;
  const { repo, commit } = stack.repo === undefined ? origin : stack;
  return (
    <div className={classes.stack}>
      {errors.length > 0 && <Calls errors={errors} at={0} origin={{ repo, commit }} />}
      {omitted > 0 && <Dimmed size="xs">{plural(omitted, "more error was", "more errors were")} left out.</Dimmed>}
      {text !== undefined && (
        <pre className={classes.text} tabIndex={0} aria-label="Stack as text">
          <SafeText text={text} />
        </pre>
      )}
    </div>
  );
}

type CallsProps = { readonly errors: readonly StackError[]; readonly at: number; readonly origin: StackViewProps["origin"] };

function Calls({ errors, at, origin }: CallsProps) {
  const { frames = [], omitted = 0 } = errors[at] ?? {};
  const behind = errors.flatMap((error, index) => (index > at && error.of === at ? [{ error, index }] : []));
  return (
    <>
      <ol className={classes.calls}>
        {inRuns(frames).map(({ own, calls, from }) =>
          own ? (
            calls.map((frame, index) => (
              <li key={from + index}>
                <Call frame={frame} origin={origin} />
              </li>
            ))
          ) : (
            <li key={from}>
              <Fold title={plural(calls.length, "call of libraries", "calls of libraries")}>
                <ol className={classes.calls}>
                  {calls.map((frame, index) => (
                    <li key={from + index} className={classes.library}>
                      <Call frame={frame} origin={undefined} />
                    </li>
                  ))}
                </ol>
              </Fold>
            </li>
          ),
        )}
        {omitted > 0 && (
          <li>
            <Dimmed size="xs">{plural(omitted, "older call", "older calls")} left out</Dimmed>
          </li>
        )}
      </ol>
      {behind.map(({ error, index }) => (
        <div key={index} className={classes.behind}>
          <p className={classes.head}>
            <span className={classes.relation}>{RELATIONS[error.relation ?? "cause"]}</span>{" "}
            <SafeText text={[error.type, error.message].filter(Boolean).join(": ")} />
          </p>
          <Calls errors={errors} at={index} origin={origin} />
        </div>
      ))}
    </>
  );
}

const RELATIONS = { cause: "Caused by", context: "While handling", member: "Member" } as const;

function Call({ frame, origin }: { readonly frame: StackFrame; readonly origin: StackViewProps["origin"] | undefined }) {
  return (
    <>
      {frame.function !== undefined && (
        <span>
          <SafeText text={frame.function} />
        </span>
      )}
      <CodePlace {...origin} file={frame.file} line={frame.line} />
    </>
  );
}

/** Own calls and those of libraries, each as long as no other kind comes between. */
function inRuns(frames: readonly StackFrame[]) {
  const runs: { readonly own: boolean; readonly calls: StackFrame[]; readonly from: number }[] = [];
  for (const [from, frame] of frames.entries()) {
    const own = frame.own === true;
    const last = runs.at(-1);
    if (last?.own === own) {
      last.calls.push(frame);
    } else {
      runs.push({ own, calls: [frame], from });
    }
  }
  return runs;
}
