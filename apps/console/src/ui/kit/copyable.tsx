import { CopyButton, Tooltip, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./copyable.module.css";

/** An id or commit, shortened, that copies itself on click. */
export function CopyableId({ value, label, length = 8 }: { readonly value: string; readonly label: string; readonly length?: number }) {
  return (
    <CopyButton value={value} timeout={1_500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : `Copy ${label} ${value}`}>
          <UnstyledButton className={classes.id} onClick={copy}>
            <VisuallyHidden>{copied ? "Copied" : `Copy ${label}`} </VisuallyHidden>
            {shorten(value, length)}
            {copied ? <IconCheck size={13} /> : <IconCopy size={13} className={classes.hint} />}
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  );
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-([\da-f]{12})$/i;

/** What is made within a minute has ids that begin alike: of those the end is shown. */
function shorten(value: string, length: number): string {
  const end = UUID.exec(value)?.[1];
  return end === undefined || length === 0 || length >= value.length ? value.slice(0, length) : `…${end.slice(-length)}`;
}

/** A block of text to take away: a snippet, a token. */
export function CopyableBlock({ text, label, children }: { readonly text: string; readonly label: string; readonly children?: ReactNode }) {
  return (
    <div className={classes.block}>
      <pre className={classes.text} tabIndex={0} aria-label={label}>
        {children ?? <SafeText text={text} />}
      </pre>
      <CopyButton value={text} timeout={1_500}>
        {({ copied, copy }) => (
          <UnstyledButton className={classes.copy} onClick={copy} aria-label={`Copy ${label}`}>
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            <span aria-live="polite">{copied ? "Copied" : "Copy"}</span>
          </UnstyledButton>
        )}
      </CopyButton>
    </div>
  );
}
