import { ActionIcon, Popover, Text, UnstyledButton } from "@mantine/core";
import { IconHelp } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import classes from "./query-help.module.css";

type Line = { readonly example: string; readonly means: string };
type Section = { readonly title?: string; readonly lines: readonly Line[] };

type QueryHelpProps = {
  readonly sections: readonly Section[];
  readonly onTake: (example: string) => void;
  /** What to know before. */
  readonly children: ReactNode;
};

/** What a query may say, each with an example that a click takes over. */
export function QueryHelp({ sections, onTake, children }: QueryHelpProps) {
  const [opened, setOpened] = useState(false);
  const take = (example: string) => {
    setOpened(false);
    onTake(example);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={520} withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon size={42} variant="default" aria-label="Query syntax" onClick={() => setOpened(!opened)}>
          <IconHelp size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Query syntax" className={classes.dropdown ?? ""}>
        <Text size="sm" mb="xs">
          {children}
        </Text>
        {sections.map(({ title, lines }) => (
          <section key={title ?? ""}>
            {title !== undefined && (
              <Text size="sm" fw={550} mt="sm" mb={4}>
                {title}
              </Text>
            )}
            <ul className={classes.lines}>
              {lines.map(({ example, means }) => (
                <li key={example} className={classes.line}>
                  <UnstyledButton className={classes.example} onClick={() => take(example)}>
                    {example}
                  </UnstyledButton>
                  <span className={classes.means}>{means}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </Popover.Dropdown>
    </Popover>
  );
}
