import { Button } from "@mantine/core";
import { presentMessage, type RawMessage } from "@sightline/observability/contract";
import { useState } from "react";
import { plural } from "#ui/words/format.ts";
import { Message, type ShownMessage } from "./message.tsx";
import classes from "./conversation.module.css";

export type Side = ShownMessage["side"];

export function shownMessage(message: RawMessage, side: Side): ShownMessage {
  const { parts, ...shown } = presentMessage(message, side);
  return { ...shown, parts: parts.map((part, index) => ({ ...part, image: message.parts[index]?.image })) };
}

/** A conversation from its newest turn on; what was said before is there on request. */
export function ConversationView({ messages, from }: { readonly messages: readonly ShownMessage[]; readonly from: number }) {
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : from;
  return (
    <div className={classes.conversation}>
      {hidden > 0 && (
        <Button size="compact-xs" variant="default" className={classes.earlier} onClick={() => setWhole(true)}>
          Show {plural(hidden, "earlier message", "earlier messages")}
        </Button>
      )}
      {messages.slice(hidden).map((message, index) => (
        <Message key={hidden + index} message={message} />
      ))}
    </div>
  );
}
