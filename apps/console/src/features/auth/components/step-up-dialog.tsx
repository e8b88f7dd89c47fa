import { Modal, Text } from "@mantine/core";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { meQuery } from "#features/auth/api/me.ts";
import { ProofForm } from "./proof-form.tsx";
import { type StepUpAnswer, type StepUpRequest, stepUpAnswerSchema } from "@sightline/identity/contract";
import type { Api } from "#http/api.ts";

type StepUpDialogProps = {
  readonly opened: boolean;
  readonly onConfirmed: () => void;
  readonly onCancelled: () => void;
  /** When it has faded out. */
  readonly onClosed: () => void;
};

export function StepUpDialog({ opened, onConfirmed, onCancelled, onClosed }: StepUpDialogProps) {
  const api = useApi();
  const queries = useQueryClient();
  const { data: me } = useSuspenseQuery(meQuery(api));
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
        prove={({ password, code }) => stepUp(api, { password, ...(me.totp_enabled ? { code } : {}) })}
        onProved={() => {
          void queries.invalidateQueries({ queryKey: meQuery(api).queryKey });
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
function stepUp(api: Api, proof: StepUpRequest): Promise<StepUpAnswer> {
  return api.request({ part: "identity", method: "POST", path: "/step-up", body: proof, answer: stepUpAnswerSchema });
}
