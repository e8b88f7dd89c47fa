import { NUMBERS, type NumberName, type Step, type TraceDigest } from "@sightline/observability/contract";
import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import { KindIcon } from "#features/traces/marks/kind-icon.tsx";
import { ExactTime } from "#ui/time/time-stamp.tsx";
import { formatNumber } from "#ui/words/format.ts";
import { TraceStatus } from "#ui/words/trace-status.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./step-details.module.css";

type HeadProps = {
  readonly of: Step | TraceDigest;
  readonly kind: Step["kind"] | undefined;
  readonly notes?: ReactNode;
  /** Facts that not all of them have. */
  readonly children: ReactNode;
};

/** What a person asks first of a step: how it went, what ran, how long it took and what it cost. */
export function Head({ of, kind, notes, children }: HeadProps) {
  return (
    <header>
      <Title order={2} className={classes.title}>
        <KindIcon kind={kind} />
        <SafeText text={of.name} />
      </Title>
      {notes}
      <dl className={classes.facts}>
        <Fact label="Status">
          <TraceStatus status={of.status} />
        </Fact>
        {children}
        <Fact label="Duration">{of.duration_ms === null ? "–" : formatNumber(of.duration_ms, "duration")}</Fact>
        <Numbers of={of} />
        <Fact label="Started">
          <ExactTime at={of.started_at} />
        </Fact>
      </dl>
    </header>
  );
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
                ({part === "reported_cost" && of[part] === value ? "" : `${formatNumber(of[part] ?? 0, NUMBERS[part].unit)} `}
                {NUMBERS[part].label})
              </span>
            ))}
          </Fact>,
        ];
  });
}

export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
