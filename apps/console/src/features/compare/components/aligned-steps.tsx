import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { AlignedStep } from "@sightline/observability/contract";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { PlainTable } from "#ui/kit/data-table.tsx";
import { formatCost, formatCount, formatDuration } from "#ui/words/format.ts";
import { toChange } from "#features/compare/change.ts";
import type { Compared } from "#features/compare/api/compare.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { ChangeText } from "./figures.tsx";
import { StepPair } from "./step-pair.tsx";
import { kindLabel } from "#ui/words/step-kind.ts";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import classes from "./aligned-steps.module.css";

const OUTCOMES = {
  same: { mark: "=", label: "Same" },
  changed: { mark: "≠", label: "Changed" },
  only_a: { mark: "A", label: "Only in A" },
  only_b: { mark: "B", label: "Only in B" },
} as const;
/** Steps deeper than this are no further to the right. */
const MAX_DEPTH = 12;

type AlignedStepsProps = {
  readonly steps: readonly AlignedStep[];
  readonly compared: Compared;
  readonly open: string | undefined;
  readonly onOpen: (key: string | undefined) => void;
};

/** The steps of both runs side by side. One of them can be open. */
export function AlignedSteps({ steps, compared, open, onOpen }: AlignedStepsProps) {
  const isOpen = (step: AlignedStep) => open === stepKey(step);
  return (
    <div className={classes.scroll} role="region" aria-label="Steps side by side" tabIndex={0}>
      <PlainTable
        className={classes.table ?? ""}
        rows={steps}
        rowKey={stepKey}
        rowProps={({ outcome }) => ({ "data-outcome": outcome, className: classes.row ?? "" })}
        details={(step) =>
          isOpen(step) ? { className: classes.details ?? "", children: <StepPair step={step} compared={compared} /> } : undefined
        }
        columns={[
          {
            header: "Step",
            render: (step) => <Name step={step} isOpen={isOpen(step)} onToggle={() => onOpen(isOpen(step) ? undefined : stepKey(step))} />,
          },
          { header: "What differs", render: (step) => <WhatDiffers step={step} /> },
          { header: "Duration A", render: ({ a }) => (a === null || a.duration_ms === null ? "–" : formatDuration(a.duration_ms)) },
          {
            header: "From A to B",
            render: ({ a, b }) =>
              a === null && b !== null && b.duration_ms !== null ? (
                `+${formatDuration(b.duration_ms)}`
              ) : (
                <ChangeText change={toChange(a?.duration_ms ?? null, b?.duration_ms ?? null, formatDuration)} isJudged={bothEnded(a, b)} />
              ),
          },
          {
            header: "Tokens",
            render: ({ a, b }) => <ChangeText change={toChange(tokensOf(a), tokensOf(b), formatCount)} isJudged={bothEnded(a, b)} />,
          },
          {
            header: "Cost",
            render: ({ a, b }) => <ChangeText change={toChange(a?.cost ?? null, b?.cost ?? null, formatCost)} isJudged={bothEnded(a, b)} />,
          },
        ]}
      />
    </div>
  );
}

function Name({ step, isOpen, onToggle }: { readonly step: AlignedStep; readonly isOpen: boolean; readonly onToggle: () => void }) {
  const { mark, label } = OUTCOMES[step.outcome];
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <UnstyledButton
      className={classes.name}
      aria-expanded={isOpen}
      onClick={onToggle}
      __vars={{ "--depth": String(Math.min(step.depth, MAX_DEPTH)) }}
    >
      <Chevron size={14} aria-hidden="true" />
      <span className={classes.mark} title={label} aria-hidden="true">
        {mark}
      </span>
      <VisuallyHidden>{label}: </VisuallyHidden>
      <span className={classes.word}>
        <SafeText text={step.name} />
      </span>
      <span className={classes.kind}>{kindLabel(step.kind).toLowerCase()}</span>
    </UnstyledButton>
  );
}

function WhatDiffers({ step: { a, b, moved, aspects } }: { readonly step: AlignedStep }) {
  return (
    <>
      {moved && <span className={classes.aspect}>order</span>}
      {aspects.map((aspect) => (
        <span key={aspect} className={classes.aspect} data-aspect={aspect}>
          {aspect}
        </span>
      ))}
      {a !== null && b !== null && a.status !== b.status && (
        <span className={classes.statuses}>
          <TraceStatus status={a.status} /> → <TraceStatus status={b.status} />
        </span>
      )}
    </>
  );
}

function bothEnded(a: AlignedStep["a"], b: AlignedStep["b"]): boolean {
  return a?.status === "success" && b?.status === "success";
}

function tokensOf(step: AlignedStep["a"]): number | null {
  const isKnown = step !== null && (step.input_tokens !== null || step.output_tokens !== null);
  return isKnown ? (step.input_tokens ?? 0) + (step.output_tokens ?? 0) : null;
}

/** The name of a pair of steps in the address. */
function stepKey({ a, b }: Pick<AlignedStep, "a" | "b">): string {
  return `${a?.id ?? ""}.${b?.id ?? ""}`;
}
