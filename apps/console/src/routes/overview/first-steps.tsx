import { Button, Group, Paper, Title } from "@mantine/core";
import { IconCircle, IconCircleCheckFilled, IconCircleDashed, IconHelpCircle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Dimmed } from "#ui/words/dimmed.tsx";
import classes from "./first-steps.module.css";
import { type Step, findNextStep } from "./steps.ts";

/** The way from an empty product to a useful one; each step ticks itself. */
export function FirstSteps({ steps, onPutAway }: { readonly steps: readonly Step[]; readonly onPutAway: () => void }) {
  const next = findNextStep(steps);
  return (
    <Paper component="section" className={classes.panel} aria-label="First steps">
      <div className={classes.head}>
        <Title order={2} fz={15}>
          First steps
        </Title>
        <Group gap="xs">
          <Dimmed aria-live="polite">{formatProgress(steps)}</Dimmed>
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onPutAway}>
            Dismiss
          </Button>
        </Group>
      </div>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step.id} className={classes.step} data-state={step.state} data-next={step.id === next?.id || undefined}>
            <StepMark state={step.state} />
            <div className={classes.words}>
              <span className={classes.title}>{step.title}</span>
              <span className={classes.why}>{step.words}</span>
              {step.action !== undefined && (
                <Button
                  {...step.action.link}
                  component={Link}
                  size="compact-sm"
                  mt={8}
                  variant={step.id === next?.id ? "filled" : "default"}
                  aria-label={`${step.action.label}: ${step.title}`}
                >
                  {step.action.label}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Paper>
  );
}

/** Keeps their place, so that what is below does not move when they come: as tall as they would be. */
export function FirstStepsPlace({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <div className={classes.place} aria-hidden="true">
      <FirstSteps steps={steps} onPutAway={() => undefined} />
    </div>
  );
}

export function formatProgress(steps: readonly Step[]): string {
  return `${steps.filter(({ state }) => state === "done").length} of ${steps.length} done`;
}

function StepMark({ state }: Pick<Step, "state">) {
  const { icon: Icon, label } = MARKS[state];
  return <Icon size={20} className={classes.mark ?? ""} role="img" aria-label={label} />;
}

const MARKS = {
  done: { icon: IconCircleCheckFilled, label: "Done:" },
  waiting: { icon: IconCircleDashed, label: "Under way:" },
  todo: { icon: IconCircle, label: "To do:" },
  unknown: { icon: IconHelpCircle, label: "Not known:" },
} as const;
