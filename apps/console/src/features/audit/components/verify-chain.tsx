import { Alert, Button, Text } from "@mantine/core";
import type { AuditVerification } from "@sightline/identity/contract";
import { IconLinkOff, IconShieldCheck } from "@tabler/icons-react";
import { Failed } from "#ui/kit/failed-change.tsx";
import { useChange } from "#http/use-change.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { formatTimeAndZone, plural } from "#ui/words/format.ts";
import { verifyChain } from "#features/audit/api/audit.ts";

/** Asks the server to recompute the chain; the result stays until the page is left. */
export function useChainVerification() {
  return useChange({ send: () => verifyChain });
}

export function VerifyButton({ verification }: { readonly verification: ReturnType<typeof useChainVerification> }) {
  return (
    <Button
      variant="default"
      leftSection={<IconShieldCheck size={16} />}
      loading={verification.isPending}
      onClick={() => verification.mutate()}
    >
      Verify the chain
    </Button>
  );
}

export function VerificationResult({ verification }: { readonly verification: ReturnType<typeof useChainVerification> }) {
  if (verification.error !== null) {
    return <Failed error={verification.error} title="The chain could not be verified" mb="md" />;
  }
  if (verification.data === undefined) {
    return null;
  }
  return verification.data.intact ? <Intact result={verification.data} /> : <Broken result={verification.data} />;
}

function Intact({ result }: { readonly result: AuditVerification }) {
  return (
    <Alert
      color="green"
      mb="md"
      role="status"
      icon={<IconShieldCheck />}
      title={`The chain is intact: ${plural(result.rows, "row", "rows")}`}
    >
      <Text size="sm" mb="sm">
        No row was changed, removed or inserted.
        {result.signed_at === null
          ? ""
          : ` Its end was signed ${formatTimeAndZone(new Date(result.signed_at))} with a key that is not in the database.`}{" "}
        Keep this hash outside this system: it also shows whether the database was rolled back to an earlier state.
      </Text>
      <CopyableBlock text={result.head} label="the hash of the newest row" />
    </Alert>
  );
}

function Broken({ result }: { readonly result: AuditVerification }) {
  return (
    <Alert color="red" mb="md" role="alert" icon={<IconLinkOff />} title="The chain is broken">
      <Text size="sm" mb="sm">
        {result.problem} Keep a copy of the database as it is, and compare it with a backup. {plural(result.rows, "row", "rows")} were
        looked at.
      </Text>
      <CopyableBlock text={result.head} label="the hash of the newest row" />
    </Alert>
  );
}
