import { Anchor, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "#http/api-context.ts";
import { plural } from "#ui/words/format.ts";
import { meQuery } from "#features/auth/api/me.ts";
import type { PartialLogin } from "#features/auth/login-passage.ts";
import { LoginForm } from "./login-form.tsx";
import { VerifyForm } from "./verify-form.tsx";

type NewLoginDialogProps = {
  readonly opened: boolean;
  readonly email: string;
  /** When it has faded out. */
  readonly onClosed: () => void;
};

/** The login over the page whose session ended. Only for the same account, to whom what is on the page belongs. */
export function NewLoginDialog({ opened, email, onClosed }: NewLoginDialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  const router = useRouter();
  const [partial, setPartial] = useState<PartialLogin>();

  async function goOn(): Promise<void> {
    setPartial(undefined);
    const me = await queries.fetchQuery({ ...meQuery, staleTime: 0 });
    if (me.must_change_password) {
      await router.invalidate();
    }
  }

  return (
    <Modal
      opened={opened}
      // Without a session nothing below it works.
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      returnFocus={false}
      onExitTransitionEnd={onClosed}
      zIndex={400}
      title="Your session has ended"
    >
      <Stack gap="md">
        <Text c="dimmed">Log in to continue where you left off. What you typed on this page is still there.</Text>
        {partial === undefined ? (
          <LoginForm
            initialEmail={email}
            fixedEmail
            forgot={
              <Anchor component="button" type="button" size="sm" onClick={() => api.newLogin.settle(false)}>
                Go to the login page
              </Anchor>
            }
            next={window.location.pathname + window.location.search}
            onLoggedIn={() => void goOn()}
            onSecondStep={setPartial}
          />
        ) : (
          <VerifyForm
            partial={partial}
            onVerified={(answer) => {
              if (answer.method === "backup_code") {
                const left = answer.backup_codes_remaining;
                notifications.show({
                  title: "That backup code is used up",
                  message: `${plural(left, "backup code is", "backup codes are")} left.`,
                });
              }
              void goOn();
            }}
            onRestart={() => setPartial(undefined)}
          />
        )}
      </Stack>
    </Modal>
  );
}
