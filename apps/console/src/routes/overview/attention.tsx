import { UnstyledButton } from "@mantine/core";
import {
  IconAlertTriangle,
  IconBell,
  IconCircleCheck,
  IconGitBranch,
  IconInbox,
  IconMessageX,
  IconShieldOff,
  IconSparkles,
  IconTimeline,
  IconUnlink,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { LoadingRows } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import classes from "./attention.module.css";
import { Panel, PanelNote } from "./panel.tsx";
import panel from "./panel.module.css";
import type { AttentionItem, AttentionKind } from "./attention-items.ts";
import type { AttentionItems } from "./use-attention-items.ts";

const SHOWN = 6;

/** What somebody should do something about, the most important first. */
export function Attention({ found: { items, isLoading, unknown } }: { readonly found: AttentionItems }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? items : items.slice(0, SHOWN);
  return (
    <Panel
      title="Needs attention"
      aside={
        items.length > SHOWN && (
          <UnstyledButton className={panel.link} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Show fewer" : `Show all ${items.length}`}
          </UnstyledButton>
        )
      }
    >
      {unknown.length > 0 && (
        <PanelNote icon={<IconAlertTriangle size={17} color="var(--sl-warn)" aria-hidden="true" />} role="alert">
          Unavailable: {unknown.join(", ")}.
        </PanelNote>
      )}
      {items.length === 0 && isLoading && (
        <div className={panel.loading}>
          <LoadingRows rows={2} />
        </div>
      )}
      {items.length === 0 && !isLoading && unknown.length === 0 && (
        <PanelNote icon={<IconCircleCheck size={17} color="var(--sl-ok)" aria-hidden="true" />}>Nothing needs your attention.</PanelNote>
      )}
      {items.length > 0 && (
        <ul className={panel.rows}>
          {shown.map((item) => (
            <li key={item.id}>
              <AttentionRow item={item} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

const ICONS: Readonly<Record<AttentionKind, typeof IconBell>> = {
  second_factor: IconShieldOff,
  alert: IconBell,
  gaps: IconUnlink,
  repository: IconGitBranch,
  traces: IconTimeline,
  dead_letters: IconInbox,
  channel: IconMessageX,
  meaning: IconSparkles,
};

function AttentionRow({ item: { kind, title, reason, at, action } }: { readonly item: AttentionItem }) {
  const Icon = ICONS[kind];
  return (
    <>
      <Icon size={17} className={classes.icon ?? ""} aria-hidden="true" />
      <div className={panel.words}>
        <span className={panel.name}>{title}</span>
        <span className={classes.reason}>{reason}</span>
      </div>
      {at !== undefined && (
        <span className={panel.aside}>
          <TimeStamp at={at} />
        </span>
      )}
      <Link {...action.link} className={panel.link} aria-label={`${action.label}: ${title}`}>
        {action.label}
      </Link>
    </>
  );
}
