import { Alert, Text, TextInput } from "@mantine/core";
import {
  type AccountItem,
  type ChangeAccountRequest,
  factorsOfAccount,
  resetSecondFactorRequestSchema,
} from "@sightline/identity/contract";
import { type ReactNode, useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { confirmsEmail, doneOrWaiting } from "#features/users/account-state.ts";
import {
  changeAccount,
  deleteAccount,
  resetPassword,
  resetSecondFactor,
  takeBack,
  unlockSecondFactor,
} from "#features/users/api/accounts.ts";
import { ActionForm, type Asking } from "./action-form.tsx";
import { type PasswordDelivery, PasswordDeliveryChoice } from "./password-delivery.tsx";
import { WaitingForSecond, WORDS_OF_TWO } from "./waiting-for-second.tsx";

type Props = Asking & { readonly account: AccountItem; readonly onDone: (message: string) => void };

type Question = {
  readonly label: string;
  readonly dangerous?: boolean;
  readonly failure: string;
  readonly changes: ChangeAccountRequest;
  /** What is said of whoever it was done to. */
  readonly done: string;
  readonly words: (account: AccountItem) => ReactNode;
};

const QUESTIONS: Readonly<Record<"disable" | "enable" | "require-password", Question>> = {
  disable: {
    label: "Disable",
    dangerous: true,
    failure: "The account was not disabled",
    changes: { disabled: true },
    done: "can no longer log in.",
    words: ({ name, email }) => (
      <Text>
        {name} ({email}) is logged out everywhere within a minute and can't log in until the account is enabled again. Nothing is deleted.
      </Text>
    ),
  },
  enable: {
    label: "Enable",
    failure: "The account was not enabled",
    changes: { disabled: false },
    done: "can log in again.",
    words: ({ name, email }) => (
      <Text>
        {name} ({email}) can log in again, with the same password and the same second factor as before.
      </Text>
    ),
  },
  "require-password": {
    label: "Require a new password",
    failure: "Nothing was changed",
    changes: { must_change_password: true },
    done: "has to choose a new password at the next login.",
    words: ({ name }) => (
      <>
        <Text>{name} is logged out, logs in once more with the present password, and has to choose another one before anything else.</Text>
        <Dimmed>If the password may be known to someone else, reset it instead: then the current one stops working.</Dimmed>
      </>
    ),
  },
};

export function ConfirmChange({ kind, account, onDone, ...form }: Props & { readonly kind: keyof typeof QUESTIONS }) {
  const { changes, done, words, ...question } = QUESTIONS[kind];
  return (
    <ActionForm
      {...form}
      {...question}
      send={() => changeAccount(account.id, changes)}
      onDone={(changed) => onDone(doneOrWaiting(changed, kind === "disable" ? kind : undefined, `${account.name} ${done}`))}
    >
      {kind === "disable" && <WaitingForSecond account={account} action="disable" />}
      {words(account)}
    </ActionForm>
  );
}

export function ResetSecondFactor({ account, onDone, ...form }: Props) {
  const [reason, setReason] = useState("");
  return (
    <ActionForm
      {...form}
      label="Reset 2FA"
      dangerous
      failure="2FA was not reset"
      ready={resetSecondFactorRequestSchema.safeParse({ reason }).success}
      send={() => resetSecondFactor(account.id, reason.trim())}
      onDone={(changed) => onDone(doneOrWaiting(changed, "reset", `${account.name} now logs in with only a password.`))}
    >
      <WaitingForSecond account={account} action="reset" />
      <Alert color="red" title="The password alone will open this admin account">
        The authenticator, all backup codes and passkeys of {account.name} stop working, and every session ends. Until a new second factor
        is set up, whoever knows the password is in. Make sure that it really is {account.name} who asks: call back on a number you know.
      </Alert>
      <TextInput
        label="Reason"
        description="Recorded in the audit log with your name"
        placeholder="Lost phone; identity confirmed by a call back"
        maxLength={500}
        data-autofocus
        {...typedInto(reason, setReason)}
      />
    </ActionForm>
  );
}

export function TakeBack({ account, onDone, ...form }: Props) {
  return (
    <ActionForm
      {...form}
      label="Withdraw"
      failure="The request was not withdrawn"
      send={() => takeBack(account.id)}
      onDone={() => onDone(`Everything of ${account.name} stays as it is.`)}
    >
      <Text>
        {account.waiting?.asked_by.email} asked to {WORDS_OF_TWO[account.waiting?.action ?? "reset"]} {account.name}. Nothing has changed
        yet, and nothing will.
      </Text>
    </ActionForm>
  );
}

export function UnlockSecondFactor({ account, onDone, ...form }: Props) {
  return (
    <ActionForm
      {...form}
      label="Unlock"
      failure="The codes were not unlocked"
      send={() => unlockSecondFactor(account.id)}
      onDone={() => onDone(`${account.name} can use 2FA codes again.`)}
    >
      <Text>
        After too many wrong codes none are looked at for a while, not even right ones. This lifts that for {account.name} ({account.email}
        ); the second factor stays.
      </Text>
      <Dimmed>Whoever tried the codes knew the password: have it changed as well.</Dimmed>
    </ActionForm>
  );
}

export function DeleteAccount({ account, onDone, ...form }: Props) {
  const [typed, setTyped] = useState("");
  return (
    <ActionForm
      {...form}
      label="Delete for good"
      dangerous
      failure="The account was not deleted"
      ready={confirmsEmail(typed, account.email)}
      send={() => deleteAccount(account.id)}
      onDone={(kept) => onDone(doneOrWaiting(kept, "delete", `${account.email} is deleted.`))}
    >
      <WaitingForSecond account={account} action="delete" />
      <Text>
        The account of {account.name} is gone at once, with its sessions and its second factor. What the audit says of it stays. This can't
        be undone; to only keep someone out, disable the account.
      </Text>
      <TextInput
        label={`Type ${account.email} to confirm`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
        {...typedInto(typed, setTyped)}
      />
    </ActionForm>
  );
}

type ResetPasswordProps = Props & { readonly mailWorks: boolean | undefined; readonly onPassword: (password: string) => void };

/** Resets a password by a link that goes to the owner, or by a one-time password that an admin hands over. */
export function ResetPassword({ account, mailWorks, onPassword, onDone, ...form }: ResetPasswordProps) {
  const [chosen, setChosen] = useState<PasswordDelivery>("mail");
  const delivery = mailWorks === true ? chosen : "password";
  return (
    <ActionForm
      {...form}
      label={delivery === "mail" ? "Send the mail" : "Reset the password"}
      dangerous={!account.invited}
      failure={account.invited ? "The invitation was not sent" : "The password was not reset"}
      send={() => resetPassword(account.id, delivery === "mail")}
      onDone={({ one_time_password: password }) => {
        if (password === null) {
          onDone(`A mail is on its way to ${account.email}.`);
        } else {
          onPassword(password);
        }
      }}
    >
      <Text>
        {account.invited
          ? `${account.name} (${account.email}) has not followed the invitation yet. The link of that mail stops working.`
          : `The current password of ${account.name} (${account.email}) stops working at once, and every session ends.`}
        {factorsOfAccount(account).length > 0 && " 2FA stays on: a new password alone is not enough to log in."}
      </Text>
      <PasswordDeliveryChoice
        label="How they log in again"
        mailLabel="By a mailed link"
        delivery={delivery}
        mailWorks={mailWorks}
        onChange={setChosen}
      />
    </ActionForm>
  );
}
