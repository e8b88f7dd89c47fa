import { ActionIcon, Popover, Text, UnstyledButton } from "@mantine/core";
import { IconHelp } from "@tabler/icons-react";
import { useState } from "react";
import classes from "./query-help.module.css";

const LINES: readonly { readonly example: string; readonly means: string }[] = [
  { example: "how are failed jobs retried", means: "a question: by meaning and by its words" },
  { example: "parseConfig", means: "a name: where it is defined, then its uses" },
  { example: '"connection refused"', means: "must be there, letter for letter" },
  { example: "/retry(Count|Limit)/", means: "must match a regular expression (RE2)" },
  { example: "-deprecated", means: "must not be there" },
  { example: "timeout OR deadline", means: "either of the two" },
  { example: "repo:acme/shop", means: "in repositories of that name" },
  { example: "path:src/**/*.ts", means: "in files at that path; -path: leaves them out" },
  { example: "lang:go", means: "in a language; -lang: leaves it out" },
  { example: "ref:release", means: "on a branch other than the default one" },
  { example: "symbol:Cart", means: "where that name is defined" },
  { example: "case:yes", means: "with letters cased as they are written" },
];

/** What a query may say, each with an example that a click takes over. */
export function QueryHelp({ onTake }: { readonly onTake: (example: string) => void }) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={440} withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon size={42} variant="default" aria-label="How to ask" onClick={() => setOpened(!opened)}>
          <IconHelp size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="How to ask">
        <Text size="sm" mb="xs">
          A click adds an example to the query. What reads like a filter but is none is searched as text.
        </Text>
        <ul className={classes.lines}>
          {LINES.map(({ example, means }) => (
            <li key={example} className={classes.line}>
              <UnstyledButton
                className={classes.example}
                onClick={() => {
                  setOpened(false);
                  onTake(example);
                }}
              >
                {example}
              </UnstyledButton>
              <span className={classes.means}>{means}</span>
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
