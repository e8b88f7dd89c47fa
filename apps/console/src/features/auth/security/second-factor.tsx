import { Paper } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { factorsOfAccount, type SetupAnswer } from "@sightline/identity/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { Call } from "#http/send.ts";
import { useChange } from "#http/use-change.ts";
import { hasCode } from "#http/api-error.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import {
  SECURITY_KEYS,
  disableSecondFactor,
  makeBackupCodes,
  secondFactorQuery,
  startReplacement,
  startSetup,
} from "#features/auth/api/second-factor.ts";
import { useMe } from "#features/auth/api/me.ts";
import type { Proof } from "#features/auth/components/proof-form.tsx";
import { useStepUp } from "#features/auth/step-up.ts";
import { BackupCodesStep } from "./backup-codes-step.tsx";
import { type Change, ChangeDialog } from "./change-dialog.tsx";
import { QrCodeStep } from "./qr-code-step.tsx";
import { SecondFactorOff, SecondFactorOn } from "./second-factor-status.tsx";

type Step =
  /** The focus moves to it when another step was left for it. */
  | { readonly kind: "overview"; readonly focus: boolean }
  | { readonly kind: "scan"; readonly setup: SetupAnswer; readonly receivedAt: number; readonly change: "set_up" | "replace" }
  | { readonly kind: "codes"; readonly codes: readonly string[]; readonly title: string };

const BACK: Step = { kind: "overview", focus: true };

type SecondFactorProps = {
  readonly email: string;
  /** Somebody came to set it up; it begins by itself, once. */
  readonly isSetupAskedFor: boolean;
  readonly onSetupBegun: () => void;
};

/** An admin's second factor: how it stands, and every change of it, one step after the other in the same place. */
export function SecondFactor({ email, isSetupAskedFor, onSetupBegun }: SecondFactorProps) {
  const queries = useQueryClient();
  const [step, setStep] = useState<Step>({ kind: "overview", focus: false });
  const [dialog, setDialog] = useState<{ readonly change: Change; readonly opened: boolean }>({ change: "set_up", opened: false });
  const refresh = () => SECURITY_KEYS.forEach((queryKey) => void queries.invalidateQueries({ queryKey }));
  const ask = (change: Change) => setDialog({ change, opened: true });
  const close = () => setDialog(({ change }) => ({ change, opened: false }));
  const hasPasskeys = factorsOfAccount(useMe()).includes("passkey");
  const withStepUp = useStepUp();
  const setUp = useChange({
    // An account without any second factor is asked for its password here, one with a passkey for that by the step-up.
    send: (_, api) => withStepUp(() => api.request(callOf("set_up", {}))),
    onSuccess: setStep,
    onError(error) {
      if (hasCode(error, "reauthentication_required")) {
        ask("set_up");
      } else {
        notifications.show({ color: "red", title: "2FA was not set up", message: error.message });
        refresh();
      }
    },
  });

  const status = useQuery(secondFactorQuery);
  const isOff = status.data?.totp_enabled === false;
  const begin = useEffectEvent(() => {
    onSetupBegun();
    setUp.mutate();
  });
  useEffect(() => {
    if (isSetupAskedFor && isOff) {
      begin();
    }
  }, [isSetupAskedFor, isOff]);

  function goOn(next: Step): void {
    close();
    setStep(next);
    if (next.kind === "overview") {
      const message = hasPasskeys ? "Your passkeys are your second factor." : "Your password alone opens this account.";
      notifications.show({ color: "green", title: "2FA is off", message });
    }
    if (next.kind !== "scan") {
      refresh();
    }
  }

  return (
    <Paper p="lg" component="section" aria-label="Two-factor authentication (2FA)">
      {step.kind === "overview" &&
        (status.data === undefined ? (
          <Unanswered query={status} failed="2FA could not be loaded" loading={<LoadingRows rows={3} />} />
        ) : status.data.totp_enabled ? (
          <SecondFactorOn focus={step.focus} state={status.data} onChange={ask} />
        ) : (
          <SecondFactorOff focus={step.focus} hasPasskeys={hasPasskeys} starting={setUp.isPending} onSetUp={() => setUp.mutate()} />
        ))}
      {step.kind === "scan" && (
        <QrCodeStep
          setup={step.setup}
          receivedAt={step.receivedAt}
          onVerified={(codes) => goOn({ kind: "codes", codes, title: "Step 2 of 2: save your backup codes" })}
          onRestart={() => {
            setStep(BACK);
            if (step.change === "set_up") {
              setUp.mutate();
            } else {
              ask("replace");
            }
          }}
          onCancel={() => setStep(BACK)}
        />
      )}
      {step.kind === "codes" && <BackupCodesStep codes={step.codes} title={step.title} email={email} onDone={() => setStep(BACK)} />}
      <ChangeDialog
        change={dialog.change}
        opened={dialog.opened}
        hasPasskeys={hasPasskeys}
        prove={(proof) => callOf(dialog.change, proof)}
        onProved={goOn}
        onClose={close}
      />
    </Paper>
  );
}

/** What a change asks the API, with the step that follows for its answer. */
function callOf(change: Change, { password, code }: Partial<Proof>): Call<Step> {
  const proof = { password: password ?? "", code: code ?? "" };
  const toScan =
    (kind: "set_up" | "replace") =>
    (setup: SetupAnswer): Step => ({ kind: "scan", change: kind, setup, receivedAt: Date.now() });
  switch (change) {
    case "set_up":
      return answeredBy(startSetup(password), toScan("set_up"));
    case "replace":
      return answeredBy(startReplacement(proof), toScan("replace"));
    case "backup_codes":
      return answeredBy(makeBackupCodes(proof), ({ backup_codes: codes }) => ({
        kind: "codes",
        title: "Save your new backup codes",
        codes,
      }));
    case "disable":
    default:
      return answeredBy(disableSecondFactor(proof), () => BACK);
  }
}

function answeredBy<Answer>(call: Call<Answer>, stepAfter: (answer: Answer) => Step): Call<Step> {
  return { ...call, answer: call.answer.transform(stepAfter) };
}
