import { Tooltip } from "@mantine/core";
import { IconMessage } from "@tabler/icons-react";
import { formatCount, plural } from "#ui/words/format.ts";
import classes from "./comments-mark.module.css";

/** How many comments there are on something; nothing where there is none. */
export function CommentsMark({ count }: { readonly count: number }) {
  const label = plural(count, "comment", "comments");
  return count === 0 ? null : (
    <Tooltip label={label}>
      <span className={classes.comments} role="img" aria-label={label}>
        <IconMessage size={14} /> {formatCount(count)}
      </span>
    </Tooltip>
  );
}
