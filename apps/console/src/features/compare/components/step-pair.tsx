import { Anchor, Group, Title } from "@mantine/core";
import type { AlignedStep } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { type Compared, comparedStepQuery } from "#features/compare/api/compare.ts";
import { isEmpty, ValueDiff } from "./value-diff.tsx";
import classes from "./step-pair.module.css";

const VALUES = [
  { key: "input", title: "Input" },
  { key: "output", title: "Output" },
  { key: "reasoning", title: "Reasoning" },
  { key: "error", title: "Error" },
  { key: "attributes", title: "Attributes" },
] as const;

/** Where what two aligned steps took in and gave back differs; of one alone what it did. */
export function StepPair({ step, compared }: { readonly step: AlignedStep; readonly compared: Compared }) {
  const { projectId } = compared;
  const a = useQuery({ ...comparedStepQuery(projectId, compared.a, step.a?.id ?? ""), enabled: step.a !== null });
  const b = useQuery({ ...comparedStepQuery(projectId, compared.b, step.b?.id ?? ""), enabled: step.b !== null });
  const both = { error: a.error ?? b.error, refetch: () => Promise.all([a.refetch(), b.refetch()]) };
  if (both.error !== null || (step.a !== null && a.data === undefined) || (step.b !== null && b.data === undefined)) {
    return <Unanswered query={both} failed="The step could not be loaded" loading={<LoadingRows rows={4} height={22} />} />;
  }
  return (
    <div className={classes.pair}>
      <Group gap="md">
        <StepLink side="A" compared={compared} traceId={compared.a} step={step.a} />
        <StepLink side="B" compared={compared} traceId={compared.b} step={step.b} />
      </Group>
      {VALUES.map(({ key, title }) => (
        <Value
          key={key}
          title={title}
          a={a.data?.[key]}
          b={b.data?.[key]}
          side={key === "input" ? "input" : "output"}
          isModelCall={step.kind === "llm" && (key === "input" || key === "output")}
        />
      ))}
    </div>
  );
}

type ValueProps = Omit<Parameters<typeof ValueDiff>[0], "label"> & { readonly title: string };

function Value({ title, a, b, ...read }: ValueProps) {
  if (isEmpty(a) && isEmpty(b)) {
    return null;
  }
  const isSame = JSON.stringify(a) === JSON.stringify(b);
  return (
    <section>
      <Title order={3} fz="sm" mb={6}>
        {title}{" "}
        {isSame && (
          <Dimmed span fw={400}>
            the same
          </Dimmed>
        )}
      </Title>
      {!isSame && <ValueDiff a={a} b={b} label={title} {...read} />}
    </section>
  );
}

type StepLinkProps = { readonly side: "A" | "B"; readonly compared: Compared; readonly traceId: string; readonly step: AlignedStep["a"] };

function StepLink({ side, compared, traceId, step }: StepLinkProps) {
  return step === null ? null : (
    <Anchor
      component={Link}
      size="sm"
      to="/projects/$projectId/traces/$traceId"
      params={{ projectId: compared.projectId, traceId }}
      search={{ observation: step.id }}
    >
      Open it in {side}
    </Anchor>
  );
}
