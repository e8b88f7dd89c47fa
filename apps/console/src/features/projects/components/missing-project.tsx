import { Button } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { hasCode } from "#http/api-error.ts";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import { Page } from "#ui/page/page.tsx";
import { useTitle } from "#ui/page/use-title.ts";

/** Whether there is no such project for who asks; an id that is none is answered as an invalid request. */
export function isMissingProject(error: Error | null): boolean {
  return hasCode(error, "project_not_found", "invalid_request");
}

export function MissingProject() {
  useTitle("No such project");
  return (
    <Page>
      <EmptyPanel
        order={1}
        icon={<IconActivity />}
        title="This project is not here"
        description="It was deleted, or you are no member of it."
      >
        <Button component={Link} to="/projects">
          All projects
        </Button>
      </EmptyPanel>
    </Page>
  );
}
