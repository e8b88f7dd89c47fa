import "@mantine/core/styles/Checkbox.layer.css";
import { Alert, Button, Checkbox, CopyButton, Group, Stack, Text } from "@mantine/core";
import { IconCheck, IconCopy, IconDownload, IconPrinter } from "@tabler/icons-react";
import { useState } from "react";
import { backupCodesFile } from "./backup-codes-file.ts";
import classes from "./backup-codes-step.module.css";
import { StepTitle } from "./step-title.tsx";
import { UnsavedChanges } from "#ui/kit/unsaved-changes.tsx";
import { saveFile } from "#ui/kit/save-file.ts";
import { formatDate } from "#ui/words/format.ts";

type BackupCodesStepProps = {
  readonly codes: readonly string[];
  readonly title: string;
  readonly email: string;
  readonly onDone: () => void;
};

/** The ten codes, shown this once; it is left by saying that they are saved, or by insisting. */
export function BackupCodesStep({ codes, title, email, onDone }: BackupCodesStepProps) {
  const [saved, setSaved] = useState(false);
  const [madeAt] = useState(() => new Date());
  const file = backupCodesFile(codes, email, madeAt);
  return (
    <Stack gap="lg" align="flex-start">
      <StepTitle title={title} focus>
        Use a backup code once if you lose access to your phone. They are shown only now, so keep them somewhere other than your phone: in a
        password manager, or on paper.
      </StepTitle>
      <div className={classes.sheet}>
        <div className={classes.about}>
          <strong>Sightline backup codes</strong> for {email}, {formatDate(madeAt)}. Each works once.
        </div>
        <ol className={classes.codes} aria-label="Backup codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
      </div>
      <Group gap="xs">
        <CopyButton value={codes.join("\n")} timeout={1_500}>
          {({ copied, copy }) => (
            <Button variant="default" leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />} onClick={copy}>
              <span aria-live="polite">{copied ? "Copied" : "Copy"}</span>
            </Button>
          )}
        </CopyButton>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => saveFile(new Blob([file.text], { type: "text/plain" }), file.name)}
        >
          Download
        </Button>
        <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
          Print
        </Button>
      </Group>
      <Checkbox label="I have saved these codes" checked={saved} onChange={(event) => setSaved(event.currentTarget.checked)} />
      <Button disabled={!saved} onClick={onDone}>
        Done
      </Button>
      <UnsavedChanges changed={!saved} title="Leave without saving the codes?" stay="Stay and save them">
        <Alert color="yellow">
          They will not be shown again. Without them, losing your phone locks you out until another admin lets you in.
        </Alert>
        <Text mt="md">You can make new ones on this page at any time.</Text>
      </UnsavedChanges>
    </Stack>
  );
}
