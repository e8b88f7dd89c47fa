import { ActionIcon, Popover, Text, UnstyledButton } from "@mantine/core";
import { TRACE_FIELDS } from "@sightline/observability/contract";
import { IconHelp } from "@tabler/icons-react";
import { useState } from "react";
import classes from "./query-help.module.css";

const GRAMMAR: readonly { readonly example: string; readonly means: string }[] = [
  { example: "status:failure user:ann", means: "both must be true" },
  { example: "model:gpt-4o,gpt-4.1", means: "any of these" },
  { example: "-name:nightly*", means: "not these; * stands for anything" },
  { example: "duration:1s..5s", means: "from … to; also >5s and <=5s" },
  { example: "refund order", means: "whole words of its name, error, input, output" },
  { example: '"order 42"', means: "these words together, or a value with spaces" },
];

/** The grammar of a query and its fields, each with an example that a click takes over. */
export function QueryHelp({ onTake }: { readonly onTake: (example: string) => void }) {
  const [opened, setOpened] = useState(false);
  const take = (example: string) => {
    setOpened(false);
    onTake(example);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={520} withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon size={42} variant="default" aria-label="How to ask" onClick={() => setOpened(!opened)}>
          <IconHelp size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="How to ask" className={classes.dropdown ?? ""}>
        <Text size="sm" mb="xs">
          A click adds an example to the query. While you type, Tab takes over what is offered and Escape puts it away.
        </Text>
        <Lines lines={GRAMMAR} onTake={take} />
        <Text size="sm" fw={550} mt="sm" mb={4}>
          Fields
        </Text>
        <Lines lines={TRACE_FIELDS.map(({ example, description }) => ({ example, means: description }))} onTake={take} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Lines({
  lines,
  onTake,
}: {
  readonly lines: readonly { readonly example: string; readonly means: string }[];
  readonly onTake: (example: string) => void;
}) {
  return (
    <ul className={classes.lines}>
      {lines.map(({ example, means }) => (
        <li key={example} className={classes.line}>
          <UnstyledButton className={classes.example} onClick={() => onTake(example)}>
            {example}
          </UnstyledButton>
          <span className={classes.means}>{means}</span>
        </li>
      ))}
    </ul>
  );
}
