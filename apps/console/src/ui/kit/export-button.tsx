import { Button, type ButtonProps } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { formatBytes } from "#ui/words/format.ts";
import { saveFile } from "./save-file.ts";

type ExportButtonProps = {
  readonly label: string;
  /** The file's, before the day. */
  readonly name: string;
  readonly extension?: "jsonl" | "csv";
  readonly failed: string;
  readonly disabled?: boolean;
  readonly size?: ButtonProps["size"];
  readonly download: (signal: AbortSignal) => Promise<Response>;
};

/** Takes a list away as a file, and says how much of it has come; a second press stops it. */
export function ExportButton({ label, name, extension = "jsonl", failed, disabled = false, size = "sm", download }: ExportButtonProps) {
  const [bytes, setBytes] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const run = useMutation({
    mutationFn: async () => {
      stop.current = new AbortController();
      setBytes(0);
      return readCounted(await download(stop.current.signal), setBytes);
    },
    onSuccess: (file) => saveFile(file, `${name}-${new Date().toISOString().slice(0, 10)}.${extension}`),
    onError: (error) => {
      if (stop.current?.signal.aborted !== true) {
        notifications.show({ color: "red", title: failed, message: error.message });
      }
    },
  });
  useEffect(() => () => stop.current?.abort(), []);
  return (
    <Button
      variant="default"
      size={size}
      disabled={disabled && !run.isPending}
      leftSection={<IconDownload size={16} />}
      onClick={() => (run.isPending ? stop.current?.abort() : run.mutate())}
    >
      {run.isPending ? `Stop (${formatBytes(bytes)})` : label}
    </Button>
  );
}

async function readCounted(response: Response, onBytes: (soFar: number) => void): Promise<Blob> {
  if (response.body === null) {
    return response.blob();
  }
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        onBytes(bytes);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted).blob();
}
