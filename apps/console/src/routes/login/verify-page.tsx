import { Text, Title, Alert, Button, Stack } from "@mantine/core";
import { getRouteApi, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { VerifyForm } from "#features/auth/components/verify-form.tsx";
import { type LoginNotice, useLoginPassage } from "#features/auth/login-passage.ts";
import { safeTarget } from "#shell/routing.ts";
import { useTitle } from "#ui/page/use-title.ts";
import { plural } from "#ui/words/format.ts";
import { FEW_BACKUP_CODES } from "#features/auth/code.ts";

const route = getRouteApi("/login");

const LOST: LoginNotice = {
  tone: "warn",
  title: "Please start again",
  text: "The page was left or reloaded, so you have to enter your password again.",
};

export function VerifyPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  const navigate = useNavigate();
  const { partial, restart } = useLoginPassage();
  const [remaining, setRemaining] = useState<number>();
  const title = remaining === undefined ? "Two-factor authentication" : "You are logged in";
  useTitle(title);
  const lost = partial === undefined;
  useEffect(() => {
    if (lost) {
      restart(LOST);
      void navigate({ to: "/login", search: { next }, replace: true });
    }
    // The effect judges only what was there when the page opened.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  if (partial === undefined) {
    return null;
  }

  const leave = (target: string) => router.history.replace(safeTarget(target));
  return (
    <>
      <Title order={1}>{title}</Title>
      <Text c="dimmed" mt={4} mb="lg">
        {partial.email}
      </Text>
      {remaining === undefined ? (
        <VerifyForm
          partial={partial}
          onVerified={(answer) => {
            if (answer.method === "backup_code") {
              setRemaining(answer.backup_codes_remaining);
            } else {
              leave(next ?? "/");
            }
          }}
          onRestart={() => void navigate({ to: "/login", search: { next }, replace: true })}
        />
      ) : (
        <UsedBackupCode remaining={remaining} onSecurity={() => leave("/admin/security")} onContinue={() => leave(next ?? "/")} />
      )}
    </>
  );
}

type UsedBackupCodeProps = { readonly remaining: number; readonly onSecurity: () => void; readonly onContinue: () => void };

/** After a login with a backup code, which is then gone. */
function UsedBackupCode({ remaining, onSecurity, onContinue }: UsedBackupCodeProps) {
  const few = remaining <= FEW_BACKUP_CODES;
  return (
    <Stack gap="md">
      <Alert
        color={few ? "yellow" : "green"}
        role="status"
        title={remaining === 0 ? "That was your last backup code" : `${plural(remaining, "backup code", "backup codes")} left`}
      >
        {few
          ? "Make new ones now: without a backup code, losing your phone locks you out until another admin lets you in."
          : "The code you used no longer works; cross it out."}
      </Alert>
      <Text c="dimmed">Lost your phone? Move 2FA to another one on the security page.</Text>
      <Button size="md" fullWidth autoFocus {...(few ? {} : { variant: "default" })} onClick={onSecurity}>
        Go to Security
      </Button>
      <Button size="md" fullWidth {...(few ? { variant: "default" } : {})} onClick={onContinue}>
        Continue
      </Button>
    </Stack>
  );
}
