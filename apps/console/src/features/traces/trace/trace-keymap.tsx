import { Kbd, Modal } from "@mantine/core";
import { TRACE_KEYS } from "./trace-keys.ts";
import classes from "./trace-keymap.module.css";
import { SingleKeysSwitch } from "#ui/keys/single-keys-switch.tsx";

/** Every key of the page and what it does. */
export function TraceKeymap({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Modal centered={false} opened={opened} onClose={onClose} title="Keys of this page">
      <SingleKeysSwitch />
      <dl className={classes.keys}>
        {TRACE_KEYS.map(({ keys, label }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
