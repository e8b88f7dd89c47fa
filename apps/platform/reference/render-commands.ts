import type { Command } from "commander";

/** Every command with what its `--help` says. */
export function renderCommands(program: Command): string {
  return [
    "# Commands",
    "In a checkout `sightline …` is `npm run sightline -- …`, in the container image `docker compose run --rm identity …` (its entry point is the program). `./.env` is read from the folder it is run in.",
    ...commandsOf(program).map(({ name, command }) => `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``),
  ].join("\n\n");
}

type Named = { readonly name: string; readonly command: Command };

function commandsOf(command: Command, above = ""): readonly Named[] {
  const name = `${above} ${command.name()}`.trim();
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help");
  return [{ name, command }, ...below.flatMap((one) => commandsOf(one, name))];
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 120, getOutHasColors: () => false });
  command.outputHelp();
  return text.trim();
}
