import { Table, UnstyledButton } from "@mantine/core";
import type { AlignedStep, StepAspect } from "@sightline/observability/contract";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { formatCost, formatCount, formatDuration } from "#ui/words/format.ts";
import { changeOf } from "#features/compare/change.ts";
import type { Compared } from "#features/compare/api/compare.ts";
import { ChangeText } from "./figures.tsx";
import { RunStatus } from "./run-card.tsx";
import { StepPair } from "./step-pair.tsx";
import classes from "./aligned-steps.module.css";

const OUTCOMES = {
  same: { mark: "=", label: "Same" },
  changed: { mark: "≠", label: "Changed" },
  only_a: { mark: "A", label: "Only in A" },
  only_b: { mark: "B", label: "Only in B" },
} as const;
const ASPECTS: Readonly<Record<StepAspect, string>> = {
  status: "status",
  error: "error",
  model: "model",
  parameters: "parameters",
  input: "input",
  output: "output",
  code: "code",
};
const COLUMNS = 6;
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
  return (
    <div className={classes.scroll} role="region" aria-label="Steps side by side" tabIndex={0}>
      <Table className={classes.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Step</Table.Th>
            <Table.Th scope="col">What differs</Table.Th>
            <Table.Th scope="col">Duration A</Table.Th>
            <Table.Th scope="col">From A to B</Table.Th>
            <Table.Th scope="col">Tokens</Table.Th>
            <Table.Th scope="col">Cost</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {steps.map((step) => {
            const key = stepKey(step);
            return (
              <Step
                key={key}
                step={step}
                compared={compared}
                isOpen={open === key}
                onToggle={() => onOpen(open === key ? undefined : key)}
              />
            );
          })}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type StepProps = { readonly step: AlignedStep; readonly compared: Compared; readonly isOpen: boolean; readonly onToggle: () => void };

function Step({ step, compared, isOpen, onToggle }: StepProps) {
  const { a, b, outcome } = step;
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  const tokens = (side: AlignedStep["a"]) =>
    side === null || (side.input_tokens === null && side.output_tokens === null)
      ? null
      : (side.input_tokens ?? 0) + (side.output_tokens ?? 0);
  return (
    <>
      <Table.Tr data-outcome={outcome} className={classes.row}>
        <Table.Td>
          <UnstyledButton
            className={classes.name}
            aria-expanded={isOpen}
            onClick={onToggle}
            __vars={{ "--depth": String(Math.min(step.depth, MAX_DEPTH)) }}
          >
            <Chevron size={14} aria-hidden="true" />
            <span className={classes.mark} title={OUTCOMES[outcome].label} aria-hidden="true">
              {OUTCOMES[outcome].mark}
            </span>
            <span className={classes.hidden}>{OUTCOMES[outcome].label}: </span>
            <span className={classes.word}>{step.name}</span>
            <span className={classes.kind}>{step.kind}</span>
          </UnstyledButton>
        </Table.Td>
        <Table.Td className={classes.aspects}>
          {step.moved && <span className={classes.aspect}>order</span>}
          {step.aspects.map((aspect) => (
            <span key={aspect} className={classes.aspect} data-aspect={aspect}>
              {ASPECTS[aspect]}
            </span>
          ))}
          {a !== null && b !== null && a.status !== b.status && (
            <span className={classes.statuses}>
              <RunStatus status={a.status} /> → <RunStatus status={b.status} />
            </span>
          )}
        </Table.Td>
        <Table.Td>{a?.duration_ms === undefined || a.duration_ms === null ? "–" : formatDuration(a.duration_ms)}</Table.Td>
        <Table.Td>
          {a === null && b?.duration_ms !== undefined && b.duration_ms !== null ? (
            `+${formatDuration(b.duration_ms)}`
          ) : (
            <ChangeText change={changeOf(a?.duration_ms ?? null, b?.duration_ms ?? null, formatDuration)} />
          )}
        </Table.Td>
        <Table.Td>
          <ChangeText change={changeOf(tokens(a), tokens(b), formatCount)} />
        </Table.Td>
        <Table.Td>
          <ChangeText change={changeOf(a?.cost ?? null, b?.cost ?? null, formatCost)} />
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={COLUMNS} className={classes.details}>
            <StepPair step={step} compared={compared} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

/** By this a pair of steps is known in the address. */
function stepKey({ a, b }: Pick<AlignedStep, "a" | "b">): string {
  return `${a?.id ?? ""}.${b?.id ?? ""}`;
}
