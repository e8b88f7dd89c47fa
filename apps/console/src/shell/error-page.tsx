import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { ErrorState } from "#ui/list-states.tsx";

/** Shown in place of a page that threw; the rest of the console stays usable. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <ErrorState
      title="This page could not be shown"
      error={error}
      onRetry={() => {
        reset();
        void router.invalidate();
      }}
    />
  );
}
