import { Alert, Paper } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { meQuery, useMe } from "#features/auth/api/me.ts";
import { PasswordForm } from "#features/auth/components/password-form.tsx";
import { safeTarget } from "#shell/routing.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/account/password");

export function PasswordPage() {
  const queries = useQueryClient();
  const router = useRouter();
  const { next } = route.useSearch();
  const me = useMe();

  async function leave(): Promise<void> {
    // The gate reads this query, so it must know before the navigation.
    await queries.fetchQuery({ ...meQuery, staleTime: 0 });
    notifications.show({ color: "green", title: "Done", message: "Your new password is set." });
    router.history.push(safeTarget(next));
  }

  return (
    <Page>
      <PageHeader title={me.must_change_password ? "Choose your password" : "Change password"} description={me.email} />
      <Paper p="xl" maw={440}>
        {me.must_change_password && (
          <Alert color="yellow" mb="lg" title="You logged in with a one-time password">
            Choose a new password to continue. The one-time password will stop working.
          </Alert>
        )}
        <PasswordForm onChanged={() => void leave()} />
      </Paper>
    </Page>
  );
}
