import { Anchor, Group, Title, VisuallyHidden } from "@mantine/core";
import type { AlignedStep } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Dimmed } from "#ui/kit/dimmed.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { type Compared, comparedStepQuery } from "#features/compare/api/compare.ts";
import { useMemo } from "react";
import { toDiffLines } from "#features/compare/diff-lines.ts";
import classes from "./step-pair.module.css";

const VALUES = [
  { key: "input", title: "Input" },
  { key: "output", title: "Output" },
  { key: "reasoning", title: "Reasoning" },
  { key: "error", title: "Error" },
  { key: "attributes", title: "Attributes" },
] as const;

/** What two aligned steps took in and gave back, line by line; of one alone what it did. */
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
        <Value key={key} title={title} a={a.data?.[key]} b={b.data?.[key]} />
      ))}
    </div>
  );
}

function Value({ title, a, b }: { readonly title: string; readonly a: unknown; readonly b: unknown }) {
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
      {!isSame && <TextDiff a={a} b={b} label={title} />}
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

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

const MARKS = { a: "−", b: "+", same: " ", skipped: "⋯" } as const;
const WORDS = { a: "only in A: ", b: "only in B: ", same: "", skipped: "" } as const;
/** Rows of a page's answer at the most; of more the rest can be opened in the traces themselves. */
const MAX_LINES = 2_000;

/** Two values line by line: text as text, anything else as JSON. */
function TextDiff({ a, b, label }: { readonly a: unknown; readonly b: unknown; readonly label: string }) {
  const lines = useMemo(() => toDiffLines(textOf(a), textOf(b)), [a, b]);
  const rest = lines.length - MAX_LINES;
  return (
    <div className={classes.diff} role="region" aria-label={`${label}, line by line`} tabIndex={0}>
      {lines.slice(0, MAX_LINES).map(({ kind, text }, index) => (
        <div key={index} className={classes.line} data-kind={kind}>
          <span className={classes.mark} aria-hidden="true">
            {MARKS[kind]}
          </span>
          <VisuallyHidden>{WORDS[kind]}</VisuallyHidden>
          <span className={classes.text}>{text}</span>
        </div>
      ))}
      {rest > 0 && <div className={classes.line}>{rest} more lines</div>}
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return "";
  }
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
