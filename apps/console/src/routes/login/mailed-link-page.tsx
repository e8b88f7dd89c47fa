import { Alert, Anchor, Text, Title } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { MailedPasswordForm } from "#features/auth/components/mailed-password-form.tsx";
import { useLoginPassage } from "#features/auth/login-passage.ts";
import { mailedToken } from "#features/auth/mailed-token.ts";
import { useTitle } from "#ui/use-title.ts";

export function ResetPage() {
  return (
    <MailedLinkPage
      title="Choose a new password"
      description="It ends every session of your account. Then log in with it, second factor and all."
      submitLabel="Set the new password"
    />
  );
}

export function InvitationPage() {
  return (
    <MailedLinkPage
      title="Welcome to Sightline"
      description="You were invited. Choose a password, then log in with it and your e-mail address."
      submitLabel="Set the password"
    />
  );
}

function MailedLinkPage({
  title,
  description,
  submitLabel,
}: {
  readonly title: string;
  readonly description: string;
  readonly submitLabel: string;
}) {
  useTitle(title);
  const navigate = useNavigate();
  const { restart } = useLoginPassage();
  const [token] = useState(() => mailedToken(window.location.hash));
  useEffect(() => {
    // Out of the address bar, the history and every screenshot, at once.
    window.history.replaceState(window.history.state, "", window.location.pathname);
  }, []);

  function finish(): void {
    restart({ tone: "ok", title: "Your password is set", text: "Log in with it now." });
    void navigate({ to: "/login", replace: true });
  }

  return (
    <>
      <Title order={1}>{title}</Title>
      <Text c="dimmed" mt={4} mb="lg">
        {description}
      </Text>
      {token === undefined ? (
        <Alert color="yellow" role="alert" title="This link is not complete">
          Open it once more from the mail. Each link works once, and not for ever.
        </Alert>
      ) : (
        <MailedPasswordForm token={token} submitLabel={submitLabel} onDone={finish} />
      )}
      <Anchor component={Link} to="/login" size="sm" mt="lg" display="block" ta="center">
        Back to the login
      </Anchor>
    </>
  );
}
