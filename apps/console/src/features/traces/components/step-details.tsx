import { Alert, Anchor, Stack, Title } from "@mantine/core";
import type { Observation, Trace } from "@sightline/observability/contract";
import { IconCode } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CopyableId } from "#ui/copyable.tsx";
import { formatCost, formatCount, formatDuration } from "#ui/format.ts";
import { TimeStamp } from "#ui/time-stamp.tsx";
import { isUnpriced } from "#features/traces/unpriced.ts";
import { KindIcon, kindLabel } from "./kind-icon.tsx";
import { Payload } from "./payload.tsx";
import classes from "./step-details.module.css";
import { TraceStatus } from "./trace-status.tsx";

/** Everything known of one step, or of the trace as a whole. */
export function StepDetails({ step }: { readonly step: Observation | Trace }) {
  const observation = "kind" in step ? step : undefined;
  return (
    <Stack gap="lg" className={classes.details}>
      <header>
        <Title order={2} className={classes.title}>
          <KindIcon kind={observation?.kind} />
          {step.name}
        </Title>
        <dl className={classes.facts}>
          <Fact label="Kind">{kindLabel(observation?.kind)}</Fact>
          <Fact label="Status">
            <TraceStatus status={step.status} />
          </Fact>
          <Fact label="Duration">{step.duration_ms === null ? "–" : formatDuration(step.duration_ms)}</Fact>
          <Fact label="Started">
            <TimeStamp at={step.started_at} />
          </Fact>
          {observation?.model !== undefined && observation.model !== null && <Fact label="Model">{observation.model}</Fact>}
          {step.input_tokens !== null && (
            <Fact label="Tokens in">
              {formatCount(step.input_tokens)}
              <Part count={observation?.cache_read_tokens}>from cache</Part>
              <Part count={observation?.cache_write_tokens}>to cache</Part>
            </Fact>
          )}
          {step.output_tokens !== null && (
            <Fact label="Tokens out">
              {formatCount(step.output_tokens)}
              <Part count={observation?.reasoning_tokens}>reasoning</Part>
            </Fact>
          )}
          {step.cost !== null && <Fact label="Cost">{formatCost(step.cost)}</Fact>}
          {observation !== undefined && isUnpriced(observation) && <Fact label="Cost">no price for this model</Fact>}
          {"thread_id" in step && step.thread_id !== null && (
            <Fact label="Thread">
              <CopyableId value={step.thread_id} label="thread id" length={20} />
            </Fact>
          )}
          <Fact label="Id">
            <CopyableId value={step.id} label="id" length={13} />
          </Fact>
        </dl>
      </header>
      {observation !== undefined && observation.code !== null && <CodeLink code={observation.code} />}
      {step.error !== null && (
        <Alert color="red" title="Error">
          <pre className={classes.error}>{step.error}</pre>
        </Alert>
      )}
      <Payload title="Reasoning" value={observation?.reasoning} />
      <Payload title="Input" value={step.input} />
      <Payload title="Output" value={step.output} />
      <Payload title="Attributes" value={step.attributes} />
    </Stack>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** How much of a number of tokens was of another kind. */
function Part({ count, children }: { readonly count: number | null | undefined; readonly children: ReactNode }) {
  return count === null || count === undefined || count === 0 ? null : (
    <span className={classes.part}>
      {" "}
      ({formatCount(count)} {children})
    </span>
  );
}

/** The code that ran, opened where the repository is known. */
function CodeLink({ code }: { readonly code: NonNullable<Observation["code"]> }) {
  const [owner, repo] = code.repo?.split("/") ?? [];
  const place = `${code.file}:${code.line}`;
  return (
    <p className={classes.code}>
      <IconCode size={16} aria-hidden="true" />
      {code.function !== undefined && <span>{code.function}</span>}
      {owner === undefined || repo === undefined ? (
        <span>{place}</span>
      ) : (
        <Anchor
          component={Link}
          to="/code/$owner/$repo"
          params={{ owner, repo }}
          search={{ path: code.file, ...(code.commit === undefined ? {} : { commit: code.commit }) }}
          hash={`L${code.line}`}
          hashScrollIntoView={false}
        >
          {place}
        </Anchor>
      )}
    </p>
  );
}
