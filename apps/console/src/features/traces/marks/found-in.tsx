import { Anchor } from "@mantine/core";
import type { FoundTrace } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { SafeText } from "#ui/words/safe-text.tsx";
import { splitAtWords } from "./split-at-words.ts";
import classes from "./found-in.module.css";

/** Where in a trace the words of a query are; it opens that step, with the words marked. */
export function FoundIn({
  projectId,
  trace: { id, found },
  words,
}: {
  readonly projectId: string;
  readonly trace: FoundTrace;
  readonly words: readonly string[];
}) {
  if (found === null) {
    return <span className={classes.dim}>its names</span>;
  }
  return (
    <div className={classes.line} title={found.text}>
      <Anchor
        component={Link}
        to="/projects/$projectId/traces/$traceId"
        params={{ projectId, traceId: id }}
        search={{ mark: words.join(" "), ...(found.step_id === null ? {} : { observation: found.step_id }) }}
        fz="inherit"
        underline="always"
      >
        <SafeText text={found.step_id === null ? "the trace itself" : (found.name ?? "a step")} />
      </Anchor>{" "}
      {splitAtWords(found.text, words).map(({ text, isFound }, index) =>
        isFound ? (
          <mark key={index} className={classes.mark}>
            {text}
          </mark>
        ) : (
          <SafeText key={index} text={text} />
        ),
      )}
    </div>
  );
}
