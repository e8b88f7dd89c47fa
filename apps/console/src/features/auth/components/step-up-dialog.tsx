import { Button, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { identity } from "#http/calls.ts";
import { meQuery, useMe } from "#features/auth/api/me.ts";
import { stepUpByPasskey } from "#features/auth/api/passkeys.ts";
import { useChange } from "#http/use-change.ts";
import { PasskeyButton } from "./passkey-button.tsx";
import { ProofForm } from "./proof-form.tsx";
import { factorsOfAccount, type StepUpRequest, stepUpAnswerSchema } from "@sightline/identity/contract";

type StepUpDialogProps = {
  readonly opened: boolean;
  readonly onConfirmed: () => void;
  readonly onCancelled: () => void;
  /** When it has faded out. */
  readonly onClosed: () => void;
};

export function StepUpDialog({ opened, onConfirmed, onCancelled, onClosed }: StepUpDialogProps) {
  const queries = useQueryClient();
  const factors = factorsOfAccount(useMe());
  const needsCode = factors.includes("totp");
  const hasPasskeys = factors.includes("passkey");
  // Where the second factor is a passkey alone, the password would leave it out.
  const takesPassword = needsCode || factors.length === 0;
  const passkey = useChange({ send: (_, api) => stepUpByPasskey(api), onSuccess: confirm });

  function confirm(): void {
    void queries.invalidateQueries({ queryKey: meQuery.queryKey });
    onConfirmed();
  }

  return (
    <Modal
      opened={opened}
      onClose={onCancelled}
      // The provider hears that key.
      closeOnEscape={false}
      returnFocus={false}
      onExitTransitionEnd={onClosed}
      title="Confirm that it is you"
    >
      <Stack gap="md">
        {hasPasskeys && (
          <>
            <Text c="dimmed">Your passkey opens this for ten minutes.</Text>
            <PasskeyButton asking={passkey} isOnlyWay={!takesPassword} onClick={() => passkey.mutate()}>
              Use a passkey
            </PasskeyButton>
          </>
        )}
        {takesPassword ? (
          <ProofForm
            needsCode={needsCode}
            prove={({ password, code }) => stepUp({ password, ...(needsCode ? { code } : {}) })}
            onProved={confirm}
            onCancel={onCancelled}
            submitLabel="Confirm"
          >
            <Text c="dimmed">
              {hasPasskeys && "Or: "}
              {needsCode ? "Your password and a code open this for ten minutes." : "Your password opens this for ten minutes."}
            </Text>
          </ProofForm>
        ) : (
          <Button variant="default" onClick={onCancelled}>
            Cancel
          </Button>
        )}
      </Stack>
    </Modal>
  );
}

/** Shows again who is there; for ten minutes this session may then do what asks for it. */
const stepUp = (body: StepUpRequest) => identity.post("/step-up", { body, answer: stepUpAnswerSchema });
