import { Anchor, Stack, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { typedInto } from "#ui/kit/typed-into.ts";
import { onlyDigits, isWhole } from "#features/auth/code.ts";
import classes from "./code-field.module.css";
import type { CodeState } from "./use-code.ts";

type CodeFieldProps = {
  readonly code: CodeState;
  readonly error?: ReactNode;
  readonly busy: boolean;
  /** Whether a backup code will do. */
  readonly backupCodes?: boolean;
  readonly autoFocus?: boolean;
  readonly size?: "sm" | "md";
  /** When the sixth digit of the app's code was typed or pasted. */
  readonly onWhole?: (code: string) => void;
};

/** A code of the app, or of the list of backup codes, whichever is at hand. */
export function CodeField({ code, error, busy, backupCodes = true, autoFocus = false, size = "md", onWhole }: CodeFieldProps) {
  const { kind, text, field, setText, switchKind } = code;
  const isTotp = kind === "totp";

  function take(typed: string): void {
    setText(typed);
    if (isTotp && isWhole("totp", typed) && onlyDigits(typed) !== text) {
      onWhole?.(onlyDigits(typed));
    }
  }

  return (
    <Stack gap={6}>
      <TextInput
        key={kind}
        ref={field}
        name={isTotp ? "one-time-code" : "backup-code"}
        label={isTotp ? "Code" : "Backup code"}
        description={isTotp ? "Six digits from your authenticator app" : "One of the ten you saved; each works once"}
        placeholder={isTotp ? "000000" : "XXXX-XXXX-XXXX-XXXX"}
        size={size}
        required
        withAsterisk={false}
        readOnly={busy}
        autoFocus={autoFocus}
        data-autofocus={autoFocus || undefined}
        autoComplete={isTotp ? "one-time-code" : "off"}
        inputMode={isTotp ? "numeric" : "text"}
        autoCapitalize={isTotp ? "off" : "characters"}
        autoCorrect="off"
        spellCheck={false}
        data-kind={kind}
        classNames={{ input: classes.input }}
        {...typedInto(text, take)}
        error={code.missing ?? error}
      />
      {backupCodes && (
        <Anchor component="button" type="button" size="sm" w="fit-content" onClick={switchKind}>
          {isTotp ? "Use a backup code instead" : "Use the authenticator app instead"}
        </Anchor>
      )}
    </Stack>
  );
}
