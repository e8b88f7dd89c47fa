import { Alert, Text } from "@mantine/core";
import type { AccountItem } from "@sightline/identity/contract";
import type { AccountActions } from "#features/users/api/account-actions.ts";
import { ActionForm } from "./action-form.tsx";

/** With a mail server a link goes to the owner; without one an admin hands over a one-time password. */
export function ResetPassword({
  account,
  mailWorks,
  actions,
  onPassword,
  onDone,
  onCancel,
}: {
  readonly account: AccountItem;
  readonly mailWorks: boolean;
  readonly actions: AccountActions;
  readonly onPassword: (password: string) => void;
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
}) {
  const invitation = account.invited && mailWorks;
  return (
    <ActionForm
      label={mailWorks ? "Send the mail" : "Reset the password"}
      dangerous={!mailWorks}
      failure={invitation ? "The invitation was not sent" : "The password was not reset"}
      run={() => actions.resetPassword(account.id)}
      onDone={({ one_time_password: password }) => {
        if (password === null) {
          onDone(`A mail is on its way to ${account.email}.`);
        } else {
          onPassword(password);
        }
      }}
      onCancel={onCancel}
    >
      <Text>
        {invitation && `A new invitation goes to ${account.email}. The link of the one before stops working.`}
        {!invitation && mailWorks && `A link to choose a new password goes to ${account.email}.`}
        {!mailWorks &&
          `${account.name} gets a one-time password, which you see once and hand over. The present password stops working and every session ends.`}
      </Text>
      {!mailWorks && (
        <Alert color="iris">
          No mail server is set up here (SMTP_URL); with one, the owner would get a link and you would see no password.
        </Alert>
      )}
      {account.totp_enabled && (
        <Text size="sm" c="dimmed">
          The second factor stays on: a new password alone opens nothing.
        </Text>
      )}
    </ActionForm>
  );
}
