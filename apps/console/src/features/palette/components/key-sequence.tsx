import { Kbd } from "@mantine/core";

export function KeySequence({ keys }: { readonly keys: string }) {
  return (
    <span>
      {keys.split(" ").map((key, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same key may come twice, and the order never changes
        <Kbd key={`${key} ${place}`} size="xs" ml={4}>
          {key}
        </Kbd>
      ))}
    </span>
  );
}
