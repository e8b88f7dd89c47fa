import { Center, Loader } from "@mantine/core";

export function Waiting() {
  return (
    <Center h="60vh" role="status" aria-label="Loading">
      <Loader type="dots" />
    </Center>
  );
}
