import { Badge, Tooltip } from "@mantine/core";
import { plural } from "#ui/format.ts";

/** Says that a trace is not whole, and by how much; nothing for one that is. */
export function LostEvents({ count }: { readonly count: number }) {
  return count === 0 ? null : (
    <Tooltip
      label="These events never arrived: dropped by the producer or trimmed from the stream before they were read."
      multiline
      maw={300}
    >
      <Badge color="yellow" variant="light" size="sm" tt="none" tabIndex={0}>
        {plural(count, "event lost", "events lost")}
      </Badge>
    </Tooltip>
  );
}
