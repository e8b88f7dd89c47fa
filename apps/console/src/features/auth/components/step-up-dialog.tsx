import { Modal, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { identity } from "#http/calls.ts";
import { meQuery, useMe } from "#features/auth/api/me.ts";
import { ProofForm } from "./proof-form.tsx";
import { type StepUpRequest, stepUpAnswerSchema } from "@sightline/identity/contract";

type StepUpDialogProps = {
  readonly opened: boolean;
  readonly onConfirmed: () => void;
  readonly onCancelled: () => void;
  /** When it has faded out. */
  readonly onClosed: () => void;
};

export function StepUpDialog({ opened, onConfirmed, onCancelled, onClosed }: StepUpDialogProps) {
  const queries = useQueryClient();
  const me = useMe();
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
      <ProofForm
        needsCode={me.totp_enabled}
        prove={({ password, code }) => stepUp({ password, ...(me.totp_enabled ? { code } : {}) })}
        onProved={() => {
          void queries.invalidateQueries({ queryKey: meQuery.queryKey });
          onConfirmed();
        }}
        onCancel={onCancelled}
        submitLabel="Confirm"
      >
        <Text c="dimmed">
          {me.totp_enabled ? "Your password and a code open this for ten minutes." : "Your password opens this for ten minutes."}
        </Text>
      </ProofForm>
    </Modal>
  );
}

/** Shows again who is there; for ten minutes this session may then do what asks for it. */
const stepUp = (body: StepUpRequest) => identity.post("/step-up", { body, answer: stepUpAnswerSchema });
