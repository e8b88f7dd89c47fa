import { Modal, Table } from "@mantine/core";
import { DESTINATIONS } from "#features/palette/destinations.ts";
import { KeySequence } from "./key-sequence.tsx";
import { SingleKeysSwitch } from "#ui/keys/single-keys-switch.tsx";

const EVERYWHERE = [
  ["Ctrl K", "Command palette (⌘ K on a Mac)"],
  ["?", "This map; on a trace, the trace's keys"],
  ["Esc", "Close what is open"],
] as const;

export function KeyboardMap({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const pages = DESTINATIONS.flatMap(({ keys, label }) => (keys === undefined ? [] : [[keys, label] as const]));
  return (
    <Modal
      centered={false}
      opened={opened}
      onClose={onClose}
      title="Keyboard"
      closeButtonProps={{ "aria-label": "Close the keyboard map" }}
    >
      <SingleKeysSwitch />
      <Table aria-label="Keys that work everywhere" horizontalSpacing={0}>
        <Table.Tbody>
          {[...EVERYWHERE, ...pages].map(([keys, label]) => (
            <Table.Tr key={keys}>
              <Table.Td>{label}</Table.Td>
              <Table.Td ta="right">
                <KeySequence keys={keys} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
