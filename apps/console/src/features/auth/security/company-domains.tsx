import { Button, Group, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { DomainProof } from "@sightline/identity/contract";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { ssoQuery, verifyDomain } from "#features/auth/api/sso.ts";
import { useStepUp } from "#features/auth/step-up.ts";
import { useChange } from "#http/use-change.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { Failed } from "#ui/kit/failed-change.tsx";
import { Status } from "#ui/words/status.tsx";
import { ExactTime, TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./company-sign-in.module.css";

/** The e-mail domains of the organization: which count, and what is to be published in DNS for the others. */
export function CompanyDomains({ proofs }: { readonly proofs: readonly DomainProof[] }) {
  return (
    <section aria-label="E-mail domains">
      <Title order={3} size="h5" mb={8}>
        E-mail domains
      </Title>
      <ul className={classes.domains}>
        {proofs.map((proof) => (
          <Domain key={proof.domain} proof={proof} />
        ))}
      </ul>
    </section>
  );
}

const STATES = {
  waiting: { tone: "idle", words: "Not verified yet" },
  verified: { tone: "ok", words: "Verified" },
  proof_gone: { tone: "warn", words: "Verified, but its DNS record is gone" },
} as const;

function Domain({ proof }: { readonly proof: DomainProof }) {
  const { domain, state, record, checked_at: checkedAt, ends_at: endsAt, problem } = proof;
  const withStepUp = useStepUp();
  const verify = useChange({
    send: (_, api) => withStepUp(() => api.request(verifyDomain(domain))),
    refreshes: [ssoQuery.queryKey],
    refreshesAlways: true,
    onSuccess({ sso }) {
      if (sso?.domain_proofs.find((one) => one.domain === domain)?.state === "verified") {
        notifications.show({ color: "green", title: `${domain} is verified`, message: "Its people may sign in with your provider." });
      }
    },
  });
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <span className={classes.domain}>{domain}</span>
        <Status tone={STATES[state].tone}>{STATES[state].words}</Status>
      </Group>
      {state === "waiting" && (
        <Text size="sm">
          Publish this TXT record in the DNS of the domain, and leave it there. Until it is found, nobody signs in by it.
        </Text>
      )}
      {state === "verified" && <Dimmed>Leave its TXT record at {record.name} in the DNS. It is looked up once a day.</Dimmed>}
      {state === "proof_gone" && endsAt !== null && (
        <Text size="sm">
          Publish this TXT record again. Without it, company sign-in for this domain ends on <ExactTime at={endsAt} />.
        </Text>
      )}
      {state !== "verified" && (
        <dl className={classes.facts}>
          <div>
            <dt>Name</dt>
            <dd>
              <CopyableBlock text={record.name} label={`the record's name for ${domain}`} />
            </dd>
          </div>
          <div>
            <dt>Value</dt>
            <dd>
              <CopyableBlock text={record.value} label={`the record's value for ${domain}`} />
            </dd>
          </div>
        </dl>
      )}
      <div role="status">{problem !== null && <Dimmed>{problem}</Dimmed>}</div>
      <Failed error={verify.error} title={`${domain} was not verified`} />
      <Group gap="xs">
        <Button
          variant="default"
          size="compact-sm"
          loading={verify.isPending}
          onClick={() => verify.mutate()}
          aria-label={state === "verified" ? `Check again: ${domain}` : `Verify now: ${domain}`}
        >
          {state === "verified" ? "Check again" : "Verify now"}
        </Button>
        {checkedAt !== null && (
          <Dimmed>
            Looked up <TimeStamp at={checkedAt} />
          </Dimmed>
        )}
      </Group>
    </li>
  );
}
