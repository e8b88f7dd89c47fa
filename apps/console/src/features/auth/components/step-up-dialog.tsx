import { Modal, Text } from "@mantine/core";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { meQuery } from "#features/auth/api/me.ts";
import { stepUp } from "#features/auth/api/step-up.ts";
import { ProofForm } from "./proof-form.tsx";

export function StepUpDialog({
  opened,
  onConfirmed,
  onCancelled,
}: {
  readonly opened: boolean;
  readonly onConfirmed: () => void;
  readonly onCancelled: () => void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { data: me } = useSuspenseQuery(meQuery(api));
  return (
    // Without Modal's header: over another dialog that would be a second landmark of its kind.
    <Modal opened={opened} onClose={onCancelled} withCloseButton={false} closeOnEscape={false} centered>
      <Modal.Title fz="md" fw={600} mb="md">
        Confirm that it is you
      </Modal.Title>
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
