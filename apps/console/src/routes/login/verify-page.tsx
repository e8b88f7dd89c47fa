import { Text, Title } from "@mantine/core";
import { getRouteApi, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { UsedBackupCode } from "#features/auth/components/used-backup-code.tsx";
import { VerifyForm } from "#features/auth/components/verify-form.tsx";
import { type LoginNotice, useLoginPassage } from "#features/auth/login-passage.ts";
import { safeTarget } from "#shell/routing.ts";
import { useTitle } from "#ui/page/use-title.ts";

const route = getRouteApi("/login");

const LOST: LoginNotice = {
  tone: "warn",
  title: "Please start again",
  text: "The page was left or loaded again. That your password was right is kept on the page alone, so enter it once more.",
};

export function VerifyPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  const navigate = useNavigate();
  const { partial, restart } = useLoginPassage();
  const [remaining, setRemaining] = useState<number>();
  const title = remaining === undefined ? "Second step" : "You are logged in";
  useTitle(title);
  const lost = partial === undefined;
  useEffect(() => {
    if (lost) {
      restart(LOST);
      void navigate({ to: "/login", search: { next }, replace: true });
    }
    // Only of what was there when the page opened.
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
          onVerified={({ method, backup_codes_remaining: left }) => {
            if (method === "backup_code") {
              setRemaining(left);
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
