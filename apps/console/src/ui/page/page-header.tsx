import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./page-header.module.css";
import { useTitle } from "./use-title.ts";

type PageHeaderProps = {
  readonly title: ReactNode;
  /** Where the title is more than text. */
  readonly documentTitle?: string;
  readonly description?: ReactNode;
  /** What can be done here, on the right. */
  readonly children?: ReactNode;
};

export function PageHeader({ title, documentTitle, description, children }: PageHeaderProps) {
  useTitle(documentTitle ?? (typeof title === "string" ? title : "Console"));
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <Title order={1}>{title}</Title>
        {description !== undefined && (
          <Text component="div" c="dimmed" mt={4}>
            {description}
          </Text>
        )}
      </div>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </header>
  );
}
