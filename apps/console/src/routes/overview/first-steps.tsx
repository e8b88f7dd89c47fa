import { Paper, Text, Title } from "@mantine/core";
import { IconCircle, IconCircleCheckFilled } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import classes from "./first-steps.module.css";

type StepId = keyof typeof STEPS;

export type Step = { readonly id: StepId; /** Undefined while it isn't known. */ readonly done: boolean | undefined };

const STEPS = {
  second_factor: { title: "Secure the admin with 2FA", why: "so that a leaked password alone opens nothing", to: "/admin/security" },
  repository: { title: "Register a repository", why: "and its code is searchable within minutes", to: "/code/repos" },
  token: { title: "Create a developer token", why: "and your assistant can search it over MCP", to: "/code/connect" },
  project: { title: "Create a project", why: "for the agent you want to watch", to: "/projects" },
  trace: { title: "Send a trace", why: "with the project's settings in your agent's environment", to: "/projects" },
} as const;

/** The way from an empty product to a useful one; gone once it is walked. */
export function FirstSteps({ steps }: { readonly steps: readonly Step[] }) {
  if (steps.some(({ done }) => done === undefined) || steps.every(({ done }) => done === true)) {
    return null;
  }
  const done = steps.filter((step) => step.done === true).length;
  return (
    <Paper component="section" className={classes.panel}>
      <div className={classes.head}>
        <Title order={2} fz={15}>
          First steps
        </Title>
        <Text size="sm" c="dimmed">
          {done} of {steps.length} done
        </Text>
      </div>
      <ol className={classes.steps}>
        {steps.map((step) => {
          const { title, why, to } = STEPS[step.id];
          return (
            <li key={step.id}>
              <Link to={to} className={classes.step} data-done={step.done || undefined}>
                {step.done === true ? (
                  <IconCircleCheckFilled size={20} role="img" aria-label="Done:" />
                ) : (
                  <IconCircle size={20} role="img" aria-label="To do:" />
                )}
                <span>
                  <span className={classes.title}>{title}</span>
                  <span className={classes.why}>{why}</span>
                </span>
              </Link>
            </li>
          );
        })}
      </ol>
    </Paper>
  );
}
