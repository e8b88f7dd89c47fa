// Prints every failed test of the reports in a folder with its message, in as many lines as it is given.
// Arguments: the folder, the number of lines.
const { readdirSync, readFileSync } = require("node:fs");
const paths = require("node:path");
const { stripVTControlCharacters } = require("node:util");

const [folder, lines] = process.argv.slice(2);
const reports = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ ...JSON.parse(readFileSync(`${folder}/${name}`, "utf8")), isBare: name === "bare.json" }));
// What a bare machine skips runs on the real services.
const failures = reports.flatMap(({ testResults, isBare }) =>
  testResults.flatMap((file) => failuresOf(file, isBare ? ["passed", "skipped"] : ["passed"])),
);
const shown = failures.length > lines ? failures.slice(0, lines - 1) : failures;
const linesEach = Math.max(1, Math.floor(lines / Math.max(1, shown.length)));
for (const { name, message } of shown) {
  const text = stripVTControlCharacters(message)
    .split("\n")
    .filter((line) => !/node_modules|<anonymous>/.test(line));
  // With a line each, the message goes behind the name.
  const told = linesEach === 1 ? [`${name}: ${text[0]}`] : [name, ...text.map((line) => `    ${line}`)];
  tell(told.slice(0, linesEach));
}
if (shown.length < failures.length) {
  tell([`… and ${failures.length - shown.length} more`]);
}

function tell(told) {
  process.stdout.write(`${told.map((line) => line.slice(0, 300)).join("\n")}\n`);
}

function failuresOf(file, fine) {
  const path = paths.relative(process.cwd(), file.name);
  const tests = file.assertionResults.filter(({ status }) => !fine.includes(status));
  const named = tests.map((test) => ({
    name: `✗ ${path} > ${test.fullName}`,
    message: test.failureMessages?.join("\n") || test.status,
  }));
  return file.message ? [{ name: `✗ ${path}`, message: file.message }, ...named] : named;
}
