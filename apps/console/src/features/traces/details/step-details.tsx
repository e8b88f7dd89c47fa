import { Alert, Anchor, Stack, Text, Title } from "@mantine/core";
import { NUMBERS, repositoryName, type NumberName, type Observation, type Step, type TraceDigest } from "@sightline/observability/contract";
import { IconCode } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { Dimmed } from "#ui/kit/dimmed.tsx";
import { observationQuery } from "#features/traces/api/trace.ts";
import { nearestCode } from "./nearest-code.ts";
import { isUnpriced } from "./unpriced.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { formatCount, formatNumber } from "#ui/words/format.ts";
import { LoadingRows } from "#ui/kit/list-states.tsx";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { KindIcon, kindLabel } from "#features/traces/marks/kind-icon.tsx";
import { Payload, isNothing } from "./payload.tsx";
import classes from "./step-details.module.css";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import { skewText } from "#features/traces/waterfall/waterfall-row.tsx";

type StepDetailsProps = {
  readonly projectId: string;
  readonly traceId: string;
  /** Those of the trace, for what is around it. */
  readonly steps: readonly Step[];
  readonly step: Step;
};

const VALUES = ["reasoning", "input", "output", "attributes"] as const;

/** Everything known of one step: what the tree knows at once, its values when they are there. */
export function StepDetails({ projectId, traceId, steps, step }: StepDetailsProps) {
  const ran = useMemo(() => nearestCode(steps, step), [steps, step]);
  const whole = useQuery(observationQuery(projectId, traceId, step.id));
  const of = { projectId, traceId };
  return (
    <Stack gap="lg" className={classes.details}>
      <Head of={step} kind={step.kind} notes={<Notes step={step} />}>
        {step.model !== null && <Fact label="Model">{step.model}</Fact>}
        {step.graph_node !== null && step.graph_node !== step.name && <Fact label="Node">{step.graph_node}</Fact>}
        {step.graph_step !== null && <Fact label="Graph step">{step.graph_step}</Fact>}
        <Numbers of={step} />
        {isUnpriced(step) && <Fact label="Cost">no price for this model</Fact>}
      </Head>
      {ran?.code !== undefined && ran.code !== null && <CodeLink code={ran.code} within={ran.id === step.id ? undefined : ran.name} />}
      <Failure error={whole.data?.error ?? step.error} />
      {whole.data === undefined && whole.error === null && <LoadingRows rows={4} height={24} />}
      {whole.error !== null && (
        <Alert color="red" title="Its values could not be loaded">
          {whole.error.message}
        </Alert>
      )}
      {whole.data !== undefined && (
        <>
          <Payload title="Reasoning" value={whole.data.reasoning} of={of} />
          <Payload title="Input" value={whole.data.input} of={of} />
          <Payload title="Output" value={whole.data.output} of={of} />
          <Payload title="Attributes" value={whole.data.attributes} of={of} />
          {VALUES.every((value) => isNothing(whole.data[value])) && (
            <Dimmed>{step.status === "running" ? "No values have arrived yet." : "It was recorded without input and output."}</Dimmed>
          )}
        </>
      )}
    </Stack>
  );
}

type TraceDetailsProps = {
  readonly projectId: string;
  readonly trace: TraceDigest;
  /** Below what the trace itself says. */
  readonly children?: ReactNode;
};

export function TraceDetails({ projectId, trace, children }: TraceDetailsProps) {
  const of = { projectId, traceId: trace.id };
  return (
    <Stack gap="lg" className={classes.details}>
      <Head of={trace} kind={undefined}>
        <Numbers of={trace} />
        {trace.thread_id !== null && (
          <Fact label="Thread">
            <CopyableId value={trace.thread_id} label="thread id" length={20} />
          </Fact>
        )}
      </Head>
      <Failure error={trace.error} />
      <Payload title="Input" value={trace.input} of={of} />
      <Payload title="Output" value={trace.output} of={of} />
      <Payload title="Attributes" value={trace.attributes} of={of} />
      {children}
    </Stack>
  );
}

type HeadProps = {
  readonly of: Step | TraceDigest;
  readonly kind: Step["kind"] | undefined;
  readonly notes?: ReactNode;
  /** Facts that not all of them have. */
  readonly children: ReactNode;
};

function Head({ of, kind, notes, children }: HeadProps) {
  return (
    <header>
      <Title order={2} className={classes.title}>
        <KindIcon kind={kind} />
        {of.name}
      </Title>
      {notes}
      <dl className={classes.facts}>
        <Fact label="Kind">{kindLabel(kind)}</Fact>
        <Fact label="Status">
          <TraceStatus status={of.status} />
        </Fact>
        <Fact label="Duration">{of.duration_ms === null ? "–" : formatNumber(of.duration_ms, "duration")}</Fact>
        <Fact label="Started">
          <ExactTime at={of.started_at} />
        </Fact>
        {children}
        <Fact label="Id">
          <CopyableId value={of.id} label="id" length={13} />
        </Fact>
      </dl>
    </header>
  );
}

/** What is unusual about a step, in words. */
function Notes({ step }: { readonly step: Step }) {
  const notes = [
    ...(step.is_stalled ? ["Stalled: it runs longer than 99 of 100 of its name did in the last seven days."] : []),
    ...(step.status === "abandoned" ? ["Abandoned: the process that ran it is gone and never said how it ended."] : []),
    ...(step.clock_skew_ms === null ? [] : [`${skewText(step.clock_skew_ms)}.`]),
  ];
  return notes.map((note) => (
    <Text key={note} size="sm" c="var(--sl-warn)" mt={6}>
      {note}
    </Text>
  ));
}

const NAMES = Object.keys(NUMBERS) as readonly NumberName[];
const partOf = (name: NumberName) => ("partOf" in NUMBERS[name] ? NUMBERS[name].partOf : undefined);
/** The duration stands with what every step has. */
const SHOWN = NAMES.filter((name) => name !== "duration_ms" && partOf(name) === undefined);

/** What is known of a step's or a trace's numbers, each with its parts. */
function Numbers({ of }: { readonly of: Partial<Readonly<Record<NumberName, number | null>>> }) {
  return SHOWN.flatMap((name) => {
    const value = of[name] ?? null;
    return value === null
      ? []
      : [
          <Fact key={name} label={NUMBERS[name].label}>
            {formatNumber(value, NUMBERS[name].unit)}
            {NAMES.filter((part) => partOf(part) === name && (of[part] ?? 0) > 0).map((part) => (
              <span key={part} className={classes.part}>
                {" "}
                ({formatCount(of[part] ?? 0)} {NUMBERS[part].label})
              </span>
            ))}
          </Fact>,
        ];
  });
}

function Failure({ error }: { readonly error: string | null }) {
  return error === null ? null : (
    <Alert color="red" title="Error">
      <pre className={classes.error} tabIndex={0}>
        {error}
      </pre>
    </Alert>
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

type CodeLinkProps = {
  readonly code: NonNullable<Observation["code"]>;
  /** The step around it whose code it is. */
  readonly within: string | undefined;
};

/** The code that ran, opened where the repository is known. */
function CodeLink({ code, within }: CodeLinkProps) {
  const [owner, repo] = code.repo === undefined ? [] : repositoryName(code.repo).split("/");
  const place = `${code.file}:${code.line}`;
  return (
    <p className={classes.code}>
      <IconCode size={16} aria-hidden="true" />
      {within !== undefined && <span className={classes.part}>in {within}</span>}
      {code.function !== undefined && code.function !== within && <span>{code.function}</span>}
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
