import { Button } from "@mantine/core";
import { IconTimelineEventX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { MissingPage } from "#ui/page/missing-page.tsx";

/** An address whose trace is not there, or not for who asks. */
export function MissingTrace({ projectId }: { readonly projectId: string }) {
  return (
    <MissingPage
      documentTitle="No such trace"
      icon={<IconTimelineEventX />}
      title="This trace is not here"
      description="Its project no longer keeps it, or you are no member of that project. One that has just run may take a moment to arrive; then load this page again."
    >
      <Button component={Link} to="/projects/$projectId/traces" params={{ projectId }}>
        Traces of the project
      </Button>
    </MissingPage>
  );
}
