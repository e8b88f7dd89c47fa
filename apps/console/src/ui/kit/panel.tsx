import { Box, type MantineSpacing, Paper, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { LoadingRows, type Query, Unanswered } from "./list-states.tsx";
import classes from "./panel.module.css";

/** A part of a page under a heading of its own. */
export function Section({
  title,
  gap = "md",
  children,
}: {
  readonly title: ReactNode;
  readonly gap?: MantineSpacing;
  readonly children: ReactNode;
}) {
  return (
    <Paper p="lg" component="section">
      <Title order={2} mb={gap}>
        {title}
      </Title>
      {children}
    </Paper>
  );
}

/** The heading of a panel whose list reaches its edges, with what is done to that list beside it. */
export function PanelHeader({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <div className={classes.header}>
      <div>
        <Title order={2}>{title}</Title>
        <Dimmed mt={4}>{about}</Dimmed>
      </div>
      {children}
    </div>
  );
}

/** What a panel lists: on its way, failed, empty, or there. */
export function PanelList<Item>({
  query,
  items,
  failed,
  empty,
  rows = 3,
  isHeaded = false,
  children,
}: {
  readonly query: Query;
  readonly items: readonly Item[] | undefined;
  readonly failed: string;
  /** A sentence, or all that stands there. */
  readonly empty: ReactNode;
  /** How many are to be expected. */
  readonly rows?: number;
  /** Whether a heading is above it, with its space. */
  readonly isHeaded?: boolean;
  readonly children: (items: readonly Item[]) => ReactNode;
}) {
  const place = isHeaded ? { px: "lg", pb: "lg" } : { p: "lg" };
  if (items === undefined) {
    const loading = (
      <Box {...place}>
        <LoadingRows rows={rows} />
      </Box>
    );
    return <Unanswered query={query} failed={failed} loading={loading} />;
  }
  if (items.length > 0) {
    return children(items);
  }
  return typeof empty === "string" ? (
    <Text {...place} c="dimmed">
      {empty}
    </Text>
  ) : (
    empty
  );
}
