import { Button, UnstyledButton } from "@mantine/core";
import { parseExactly } from "@sightline/foundation/exact-json";
import type { TranscriptPart } from "@sightline/observability/contract";
import { IconBulb, IconChevronRight, IconFile, IconMusic, IconPhoto, IconTool } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { MarkdownText } from "#ui/markdown/markdown-text.tsx";
import { formatBytes, formatCount } from "#ui/words/format.ts";
import { JsonView } from "#features/traces/json/json-view.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./message-parts.module.css";

const JSON_HEIGHT = 320;
const PREVIEW = 90;

/** `image` is there where it came in the message itself. */
export type ShownPart = TranscriptPart & { readonly image?: string | undefined };

/** One part of a message: words, thoughts, a tool's call or result, a picture. */
export function MessagePart({ part }: { readonly part: ShownPart }) {
  switch (part.type) {
    case "text":
      return (
        <>
          <Words text={part.text} />
          <Cut part={part} />
        </>
      );
    case "reasoning":
      return (
        <Fold icon={<IconBulb size={14} />} title="Reasoning" hint={`${formatCount(part.characters)} characters`}>
          <Words text={part.text} />
          <Cut part={part} />
        </Fold>
      );
    case "tool_call":
      return (
        <Fold icon={<IconTool size={14} />} title={part.name ?? "tool"} hint={oneLine(part.text)} isCode>
          <Data part={part} label={`Arguments of ${part.name ?? "the tool"}`} />
        </Fold>
      );
    case "tool_result":
      return (
        <Fold
          icon={<IconTool size={14} />}
          title={part.is_error ? "Failed" : "Result"}
          hint={oneLine(part.text)}
          isBad={part.is_error}
          isCode
        >
          <Data part={part} label="Result of the tool" />
        </Fold>
      );
    case "media":
      return <Media part={part} />;
    case "other":
      return (
        <Fold icon={<IconFile size={14} />} title="Other content" hint={oneLine(part.text)} isCode>
          <Data part={part} label="Part of the message" />
        </Fold>
      );
    default:
      return part.type satisfies never;
  }
}

/** Characters that are shown at once. */
const FIRST = 12_000;

/** A long text is unfolded on request. */
function Words({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > FIRST * 1.2;
  return (
    <>
      <MarkdownText text={isCut ? `${text.slice(0, FIRST)}…` : text} />
      {isCut && (
        <Button size="compact-xs" variant="default" className={classes.whole} onClick={() => setWhole(true)}>
          Show all {formatCount(text.length)} characters
        </Button>
      )}
    </>
  );
}

function Cut({ part: { text, characters } }: { readonly part: TranscriptPart }) {
  return text.length < characters ? (
    <p className={classes.cut}>
      The first {formatCount(text.length)} of {formatCount(characters)} characters; the step has all of it.
    </p>
  ) : null;
}

function Data({ part, label }: { readonly part: TranscriptPart; readonly label: string }) {
  const value = part.text.length < part.characters ? undefined : parse(part.text);
  return value === undefined ? (
    <>
      <pre className={classes.code} tabIndex={0} aria-label={label}>
        <SafeText text={part.text} />
      </pre>
      <Cut part={part} />
    </>
  ) : (
    <JsonView value={value} label={label} height={JSON_HEIGHT} fileName="value.json" compact />
  );
}

/** An object or a list; undefined for what is text. */
function parse(text: string): object | undefined {
  try {
    const value = parseExactly(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

type FoldProps = {
  readonly icon: ReactNode;
  readonly title: string;
  readonly hint: string;
  readonly isCode?: boolean;
  readonly isBad?: boolean;
  readonly children: ReactNode;
};

function Fold({ icon, title, hint, isCode = false, isBad = false, children }: FoldProps) {
  return (
    <details className={classes.fold} data-bad={isBad || undefined}>
      <summary>
        <IconChevronRight size={14} className={classes.chevron} aria-hidden="true" />
        <span className={classes.icon} aria-hidden="true">
          {icon}
        </span>
        <span className={classes.title}>
          <SafeText text={title} />
        </span>
        <span className={classes.hint} data-code={isCode || undefined}>
          <SafeText text={hint} />
        </span>
      </summary>
      <div className={classes.body}>{children}</div>
    </details>
  );
}

function Media({ part: { media_type: type, name, text, characters, image } }: { readonly part: ShownPart }) {
  const kind = type ?? "file";
  if (image !== undefined) {
    return <Thumbnail image={image} label={[name ?? "Image", kind, formatBytes(characters)].join(" · ")} />;
  }
  const Icon = kind.startsWith("image") ? IconPhoto : /^(audio|wav|mp3)/.test(kind) ? IconMusic : IconFile;
  return (
    <p className={classes.media}>
      <Icon size={15} aria-hidden="true" />
      <span>{[name, kind].filter((word) => word !== null).join(" · ")}</span>
      <span className={classes.hint}>{text === "" ? `${formatBytes(characters)} in the message, not shown` : text}</span>
    </p>
  );
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > PREVIEW ? `${line.slice(0, PREVIEW)}…` : line;
}

/** A thumbnail that a click enlarges. */
function Thumbnail({ image, label }: { readonly image: string; readonly label: string }) {
  const [isLarge, setLarge] = useState(false);
  return (
    <UnstyledButton
      className={classes.thumbnail}
      aria-expanded={isLarge}
      aria-label={`${isLarge ? "Shrink" : "Enlarge"} ${label}`}
      onClick={() => setLarge(!isLarge)}
    >
      <img src={image} alt="" data-large={isLarge || undefined} />
      <span className={classes.hint}>{label}</span>
    </UnstyledButton>
  );
}
