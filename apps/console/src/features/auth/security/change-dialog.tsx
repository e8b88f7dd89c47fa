import { Alert, Modal, Text } from "@mantine/core";
import type { Call } from "#http/send.ts";
import { type Proof, ProofForm } from "#features/auth/components/proof-form.tsx";

export type Change = "set_up" | "replace" | "backup_codes" | "disable";

const WORDS: Readonly<Record<Change, { readonly title: string; readonly text: string; readonly submit: string }>> = {
  set_up: { title: "Confirm that it is you", text: "You logged in more than ten minutes ago.", submit: "Continue" },
  replace: {
    title: "Replace authenticator",
    text: "Your current one keeps working until you enter the first code of the new one. You then get new backup codes, and your other sessions end.",
    submit: "Continue",
  },
  backup_codes: {
    title: "Make new backup codes",
    text: "You get ten new codes. Your current ones stop working immediately.",
    submit: "Make new codes",
  },
  disable: {
    title: "Turn off 2FA?",
    text: "Your password alone will then open this account, with full admin rights over accounts, code and agents. Your backup codes stop working, and your other sessions end.",
    submit: "Turn it off",
  },
};

const DISABLE_BESIDE_PASSKEYS =
  "Your passkeys remain your second factor. Codes from the app and your backup codes stop working, and your other sessions end.";

/** Asks for what a change of the second factor needs. */
export function ChangeDialog<Result>({
  change,
  opened,
  hasPasskeys,
  prove,
  onProved,
  onClose,
}: {
  readonly change: Change;
  readonly opened: boolean;
  readonly hasPasskeys: boolean;
  readonly prove: (proof: Proof) => Call<Result>;
  readonly onProved: (result: Result) => void;
  readonly onClose: () => void;
}) {
  const { title, submit, ...words } = WORDS[change];
  const text = change === "disable" && hasPasskeys ? DISABLE_BESIDE_PASSKEYS : words.text;
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <ProofForm
        key={change}
        needsCode={change !== "set_up"}
        prove={prove}
        onProved={onProved}
        onCancel={onClose}
        submitLabel={submit}
        color={change === "disable" ? "red" : undefined}
      >
        {change === "disable" ? <Alert color="red">{text}</Alert> : <Text c="dimmed">{text}</Text>}
      </ProofForm>
    </Modal>
  );
}
