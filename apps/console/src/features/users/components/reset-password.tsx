import { Text } from "@mantine/core";
import type { AccountItem } from "@sightline/identity/contract";
import { useState } from "react";
import type { AccountActions } from "#features/users/api/account-actions.ts";
import { ActionForm } from "./action-form.tsx";
import { WayIn } from "./way-in.tsx";

type ResetPasswordProps = {
  readonly account: AccountItem;
  readonly mailWorks: boolean | undefined;
  readonly actions: AccountActions;
  readonly onPassword: (password: string) => void;
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
};

/** By a link that goes to the owner, or by a one-time password that an admin hands over. */
export function ResetPassword({ account, mailWorks, actions, onPassword, onDone, onCancel }: ResetPasswordProps) {
  const [wanted, setWanted] = useState<"mail" | "password">("mail");
  const way = mailWorks === true ? wanted : "password";
  return (
    <ActionForm
      label={way === "mail" ? "Send the mail" : "Reset the password"}
      dangerous={!account.invited}
      failure={account.invited ? "The invitation was not sent" : "The password was not reset"}
      run={() => actions.resetPassword(account.id, way === "mail")}
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
        {account.invited
          ? `${account.name} (${account.email}) has not followed the invitation yet. The link of that mail stops working.`
          : `The present password of ${account.name} (${account.email}) stops working at once, and every session ends.`}
        {account.totp_enabled && " The second factor stays: a new password alone opens nothing."}
      </Text>
      <WayIn label="How they get in again" mailLabel="By a mailed link" way={way} mailWorks={mailWorks} onChange={setWanted} />
    </ActionForm>
  );
}
