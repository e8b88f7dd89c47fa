import { Popover, Text, UnstyledButton } from "@mantine/core";
import type { ExperimentComparison } from "@sightline/observability/contract";
import { useQuery } from "@tanstack/react-query";
import { gateQuery } from "#features/experiments/api/experiments.ts";
import { GATE } from "#features/experiments/verdict-words.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { Status } from "#ui/words/status.tsx";
import classes from "./experiments.module.css";

type GateProps = {
  readonly projectId: string;
  readonly comparison: ExperimentComparison;
  readonly baseline: string | undefined;
  readonly margin: string | undefined;
};

/** What a gate makes of the comparison in CI, with its reasons a click away; nothing without a baseline, or as long as runs are to come. */
export function GateOutcomeText({ projectId, comparison: { candidate, baseline: before }, baseline, margin }: GateProps) {
  const compared = { ...(baseline === undefined ? {} : { baseline }), ...(margin === undefined ? {} : { margin }) };
  const { data: gate, error } = useQuery({
    ...gateQuery(projectId, candidate.id, compared),
    enabled: candidate.state !== "running" && before.length > 0,
  });
  if (gate === undefined) {
    return error !== null && <Status tone="warn">The gate could not be asked: {error.message}</Status>;
  }
  const { tone, label } = GATE[gate.outcome];
  return (
    <Popover position="bottom-end" width={420} trapFocus>
      <Popover.Target>
        <UnstyledButton className={classes.gate ?? ""}>
          <Status tone={tone}>{label}</Status>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Why">
        <ul className={classes.reasons} tabIndex={0}>
          {gate.reasons.map((reason) => (
            <li key={reason}>
              <SafeText text={reason} />
            </li>
          ))}
        </ul>
        <Text size="xs" c="dimmed" mt="xs">
          In CI: sightline eval gate
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}
