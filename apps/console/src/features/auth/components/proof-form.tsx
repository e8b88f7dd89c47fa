import { Alert, PasswordInput } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { DialogForm } from "#ui/kit/dialogs.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import type { Call } from "#http/send.ts";
import { useChange } from "#http/use-change.ts";
import { hasCode, hasStatus } from "#http/api-error.ts";
import { toClock } from "#ui/time/countdown.ts";
import type { SentCode } from "#features/auth/code.ts";
import { CodeField } from "./code-field.tsx";
import { type CodeState, useCode } from "./use-code.ts";
import { useWait } from "./use-wait.ts";

export type Proof = { readonly password: string; readonly code: string };

/** Password and, where the account has one, second factor: for what must be done by its owner and nobody at the open screen. */
export function ProofForm<Result>({
  needsCode,
  prove,
  onProved,
  onCancel,
  submitLabel,
  color,
  children,
}: {
  readonly needsCode: boolean;
  /** Sends the proof; `code` is empty when none is needed. */
  readonly prove: (proof: Proof) => Call<Result>;
  readonly onProved: (result: Result) => void;
  readonly onCancel: () => void;
  readonly submitLabel: string;
  readonly color?: string | undefined;
  /** What to know before. */
  readonly children?: ReactNode;
}) {
  const [password, setPassword] = useState("");
  const passwordField = useRef<HTMLInputElement>(null);
  const code = useCode();
  const passwordWait = useWait();
  const proof = useChange({
    send: ({ value }: SentCode) => prove({ password, code: value }),
    onSuccess: onProved,
    onError(error) {
      if (hasCode(error, "wrong_password")) {
        requestAnimationFrame(() => passwordField.current?.select());
      } else if (needsCode) {
        code.wait.waitAfter(error);
        code.select();
      } else {
        passwordWait.waitAfter(error);
      }
    },
  });
  const wait = needsCode ? code.wait : passwordWait;
  const incomplete = password === "" || (needsCode && !code.whole);

  function send(value: string): void {
    if (password !== "" && !proof.isPending && wait.seconds === 0) {
      proof.mutate({ kind: code.kind, value });
    }
  }

  function submit(): void {
    if (password === "") {
      passwordField.current?.focus();
    } else if (incomplete) {
      code.demand();
    } else {
      send(needsCode ? code.value : "");
    }
  }

  const wrongPassword = hasCode(proof.error, "wrong_password") ? proof.error?.message : undefined;
  // What was wrong with one kind of code says nothing about the other.
  const error = wrongPassword === undefined && proof.variables?.kind === code.kind ? proof.error : null;
  const wrongCode = hasCode(error, "invalid_code") ? error?.message : undefined;
  return (
    <DialogForm
      change={proof}
      submit={wait.seconds > 0 ? `Wait ${toClock(wait.seconds)}` : submitLabel}
      color={color}
      disabled={wait.seconds > 0}
      onSubmit={submit}
      onCancel={onCancel}
    >
      {children}
      <Refusal error={wrongCode === undefined ? error : null} seconds={wait.seconds} code={code} />
      <PasswordInput
        ref={passwordField}
        label="Your password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus
        readOnly={proof.isPending}
        visibilityToggleButtonProps={{ "aria-label": "Show your password" }}
        {...typedInto(password, setPassword)}
        error={wrongPassword}
      />
      {needsCode && <CodeField code={code} size="sm" error={wrongCode} busy={proof.isPending} onWhole={send} />}
    </DialogForm>
  );
}

function Refusal({ error, seconds, code }: { readonly error: Error | null; readonly seconds: number; readonly code: CodeState }) {
  if (error === null || (hasStatus(error, 429) && seconds === 0)) {
    return null;
  }
  return (
    <Alert color="red" role="alert" title={seconds > 0 ? "Too many tries" : "That did not work"}>
      {error.message}
      {seconds > 0 && code.kind === "totp" && " A backup code may still work."}
    </Alert>
  );
}
