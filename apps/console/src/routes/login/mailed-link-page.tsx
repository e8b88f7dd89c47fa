import { Alert, Anchor, Stack, Text, Title } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { MailedPasswordForm } from "#features/auth/components/mailed-password-form.tsx";
import { useLoginPassage } from "#features/auth/login-passage.ts";
import { mailedToken } from "#features/auth/mailed-token.ts";
import { useTitle } from "#ui/page/use-title.ts";

export function ResetPage() {
  return (
    <MailedLinkPage
      title="Choose a new password"
      description="It ends every session of your account. Then log in with it, second factor and all."
      submitLabel="Set the new password"
      renewal={
        <Anchor component={Link} to="/login/forgot" size="sm">
          Ask for a new link
        </Anchor>
      }
    />
  );
}

export function InvitationPage() {
  return (
    <MailedLinkPage
      title="Welcome to Sightline"
      description="You were invited. Choose a password, then log in with it and your e-mail address."
      submitLabel="Set the password"
      renewal={
        <Text size="sm" c="dimmed" ta="center">
          The link doesn&apos;t work? Ask who invited you for a new one.
        </Text>
      }
    />
  );
}

type MailedLinkPageProps = {
  readonly title: string;
  readonly description: string;
  readonly submitLabel: string;
  /** For a link that was used, or is too old. */
  readonly renewal: ReactNode;
};

function MailedLinkPage({ title, description, submitLabel, renewal }: MailedLinkPageProps) {
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
      <Stack mt="lg" gap="xs" align="center">
        {renewal}
        <Anchor component={Link} to="/login" size="sm">
          Back to the login
        </Anchor>
      </Stack>
    </>
  );
}
