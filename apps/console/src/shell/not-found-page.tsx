import { Button, EmptyState } from "@mantine/core";
import { IconMapOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTitle } from "#ui/page/use-title.ts";
import { Brand } from "./brand.tsx";
import classes from "./not-found-page.module.css";

/** Stands in place of a page that is nowhere, where nothing else surrounds it. */
export function NotFoundScreen() {
  return (
    <main id="main" tabIndex={-1} className={classes.screen}>
      <Brand />
      <NotFoundPage />
    </main>
  );
}

/** Stands in place of a page, inside of the frame of its neighbours. */
export function NotFoundPage() {
  useTitle("Not found");
  return (
    <EmptyState py={120} withIndicatorBackground icon={<IconMapOff />}>
      <EmptyState.Title order={1}>Page not found</EmptyState.Title>
      <EmptyState.Description>The address may be wrong, or the page no longer exists.</EmptyState.Description>
      <EmptyState.Actions>
        <Button component={Link} to="/">
          Go to Overview
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}
