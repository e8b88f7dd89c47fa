import { Alert, Stack, Text } from "@mantine/core";
import { type StackTrace, type Step, type TraceDigest, findFailures, growTree } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { observationQuery } from "#features/traces/api/trace.ts";
import { askedOfPerson } from "./attributes.ts";
import { codeOrigin, nearestCode } from "./nearest-code.ts";
import { isUnpriced } from "./unpriced.ts";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { LoadingRows } from "#ui/kit/list-states.tsx";
import { kindLabel } from "#ui/words/step-kind.ts";
import { CodeLink } from "./code-link.tsx";
import { Content } from "./content.tsx";
import { Fact, Head } from "./facts.tsx";
import { Failure } from "./failure.tsx";
import { HumanInput } from "./human-input.tsx";
import { Fold } from "./fold.tsx";
import { isNothing } from "./payload.tsx";
import { Section } from "./section.tsx";
import { StackView } from "./stack-view.tsx";
import classes from "./step-details.module.css";
import { Attributes } from "./technical.tsx";
import { mergedRoot } from "#features/traces/waterfall/merged-root.ts";
import { skewText } from "#features/traces/waterfall/waterfall-row.tsx";

type StepDetailsProps = {
  readonly projectId: string;
  readonly trace: Pick<TraceDigest, "id" | "status" | "error">;
  /** All steps of the trace, to show what is around this one. */
  readonly steps: readonly Step[];
  readonly step: Step;
  /** The prompt that it ran, shown as the page wants. */
  readonly prompt: ReactNode;
  readonly onSelect: (id: string) => void;
  /** Below what the step itself says. */
  readonly children?: ReactNode;
};

const VALUES = ["reasoning", "input", "output"] as const;

/** Everything known of one step: what the tree knows at once, its values when they are there. */
export function StepDetails({ projectId, trace, steps, step, prompt, onSelect, children }: StepDetailsProps) {
  const ran = useMemo(() => nearestCode(steps, step), [steps, step]);
  const failures = useMemo(() => findFailures(growTree(steps), trace), [steps, trace]);
  const cause = failures.causeOf.get(step.id);
  const whole = useQuery(observationQuery(projectId, trace.id, step.id));
  const of = { projectId, traceId: trace.id };
  return (
    <Stack gap="lg" className={classes.details}>
      <Head of={step} kind={step.kind} notes={<Notes step={step} />}>
        {step.model !== null && step.model !== step.name && <Fact label="Model">{step.model}</Fact>}
        {step.prompt !== null && <Fact label="Prompt">{prompt}</Fact>}
        {isUnpriced(step) && <Fact label="Cost">no price for this model</Fact>}
      </Head>
      <Failure
        error={whole.data?.error ?? step.error}
        cause={cause?.id === step.id ? undefined : cause}
        caughtBy={failures.caughtBy.get(step.id)}
        onSelect={onSelect}
      />
      <FailureStack stack={whole.data?.stack} isPassedOn={cause !== undefined && cause.id !== step.id} origin={codeOrigin(steps, step)} />
      {whole.data === undefined && whole.error === null && <LoadingRows rows={4} height={24} />}
      {whole.error !== null && (
        <Alert color="red" title="Its values could not be loaded">
          {whole.error.message}
        </Alert>
      )}
      {whole.data !== undefined && step.kind === "llm" && (
        <Link to="/projects/$projectId/playground" params={{ projectId }} search={{ trace: trace.id, step: step.id }}>
          Open in playground
        </Link>
      )}
      {whole.data !== undefined && (
        <>
          <HumanInput of={of} attributes={whole.data.attributes} />
          <Content
            of={of}
            kind={step.kind}
            input={whole.data.input}
            output={whole.data.output}
            reasoning={whole.data.reasoning}
            error={whole.data.error}
          />
          {askedOfPerson(whole.data.attributes).length === 0 && VALUES.every((value) => isNothing(whole.data[value])) && (
            <Dimmed>{step.status === "running" ? "No values have arrived yet." : "It was recorded without input and output."}</Dimmed>
          )}
        </>
      )}
      {ran?.code !== undefined && ran.code !== null && <CodeLink code={ran.code} within={ran.id === step.id ? undefined : ran.name} />}
      {children}
      <Attributes of={of} attributes={whole.data?.attributes ?? {}}>
        <Fact label="Kind">{kindLabel(step.kind)}</Fact>
        {step.graph_node !== null && step.graph_node !== step.name && <Fact label="Node">{step.graph_node}</Fact>}
        {step.graph_step !== null && <Fact label="Graph step">{step.graph_step}</Fact>}
        <Fact label="Id">
          <CopyableId value={step.id} label="id" length={13} />
        </Fact>
      </Attributes>
    </Stack>
  );
}

type TraceDetailsProps = {
  readonly projectId: string;
  readonly trace: TraceDigest;
  readonly steps: readonly Step[];
  readonly onSelect: (id: string) => void;
  /** Below what the trace itself says. */
  readonly children?: ReactNode;
};

export function TraceDetails({ projectId, trace, steps, onSelect, children }: TraceDetailsProps) {
  const of = { projectId, traceId: trace.id };
  const tree = useMemo(() => growTree(steps), [steps]);
  const root = mergedRoot(trace, tree);
  const cause = useMemo(() => findFailures(tree, trace).reason, [tree, trace]);
  // The one row of both says what either of them knows.
  // A failure that arose below has its stack there.
  const ofCause = useQuery({ ...observationQuery(projectId, trace.id, cause?.id ?? ""), enabled: cause !== undefined }).data;
  const ofRoot = useQuery({ ...observationQuery(projectId, trace.id, root?.id ?? ""), enabled: root !== undefined }).data;
  const waiting = trace.status === "interrupted" ? steps.findLast(({ status }) => status === "interrupted") : undefined;
  const ofWaiting = useQuery({ ...observationQuery(projectId, trace.id, waiting?.id ?? ""), enabled: waiting !== undefined }).data;
  const [input, output] = [trace.input ?? ofRoot?.input, trace.output ?? ofRoot?.output];
  return (
    <Stack gap="lg" className={classes.details}>
      <Head of={trace} kind={root?.kind}>
        {null}
      </Head>
      <Failure error={trace.error} cause={cause?.id === root?.id ? undefined : cause} onSelect={onSelect} />
      <FailureStack stack={ofCause?.stack ?? trace.stack} isPassedOn={false} origin={codeOrigin(steps, cause)} />
      <HumanInput of={of} attributes={ofWaiting?.attributes} />
      <Content of={of} kind={undefined} input={input} output={output} reasoning={null} error={trace.error} />
      {root?.code !== undefined && root.code !== null && <CodeLink code={root.code} within={undefined} />}
      {children}
      <Attributes of={of} attributes={{ ...ofRoot?.attributes, ...trace.attributes }}>
        {trace.thread_id !== null && (
          <Fact label="Thread">
            <CopyableId value={trace.thread_id} label="thread id" length={20} />
          </Fact>
        )}
        <Fact label="Id">
          <CopyableId value={trace.id} label="id" length={13} />
        </Fact>
      </Attributes>
    </Stack>
  );
}

type FailureStackProps = {
  readonly stack: StackTrace | null | undefined;
  /** It arose in a step below, which tells more of it. */
  readonly isPassedOn: boolean;
  readonly origin: Parameters<typeof StackView>[0]["origin"];
};

function FailureStack({ stack, isPassedOn, origin }: FailureStackProps) {
  if (stack === null || stack === undefined) {
    return null;
  }
  const view = <StackView stack={stack} origin={origin} />;
  return isPassedOn ? <Fold title="Stack">{view}</Fold> : <Section title="Stack">{view}</Section>;
}

/** What is unusual about a step, in words. */
function Notes({ step }: { readonly step: Step }) {
  const notes = [
    ...(step.is_stalled ? ["Stalled: running longer than 99% of steps with this name in the last 7 days."] : []),
    ...(step.status === "abandoned" ? ["Abandoned: the process that ran it is gone and never said how it ended."] : []),
    ...(step.clock_skew_ms === null ? [] : [`${skewText(step.clock_skew_ms)}.`]),
  ];
  return notes.map((note) => (
    <Text key={note} size="sm" c="var(--sl-warn)" mt={6}>
      {note}
    </Text>
  ));
}
