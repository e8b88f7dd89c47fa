import { Button, Text } from "@mantine/core";
import { Link, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { ApiError } from "#http/api-error.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { isMissingFile } from "#ui/page/lazy-part.ts";
import { ErrorState } from "#ui/kit/list-states.tsx";
import { Page } from "#ui/page/page.tsx";
import { useTitle } from "#ui/page/use-title.ts";
import { writeReport } from "./error-report.ts";

/** Shown in place of a page that threw; the rest of the console stays usable. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  useTitle("Not shown");
  const router = useRouter();
  const isFault = !(error instanceof ApiError) && !isMissingFile(error);
  return (
    <Page>
      <ErrorState
        order={1}
        title="This page could not be shown"
        error={
          isMissingFile(error) ? new Error("Sightline was upgraded since this page was opened, or can't be reached. Reload it.") : error
        }
        retryLabel={isMissingFile(error) ? "Reload" : "Try again"}
        onRetry={() => {
          if (isMissingFile(error)) {
            window.location.reload();
          } else {
            reset();
            void router.invalidate();
          }
        }}
      >
        <Button component={Link} to="/" variant="default">
          Go to Overview
        </Button>
      </ErrorState>
      {isFault && (
        <>
          <Text size="sm" mb="xs">
            This is a bug in the console. If it happens again, report it to whoever runs Sightline, with the details below.
          </Text>
          <CopyableBlock text={writeReport(error, window.location.href)} label="the details" />
        </>
      )}
    </Page>
  );
}
