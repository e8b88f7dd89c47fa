// Loaded before the product, in a language that every Node.js reads: an old one can't even read the file that would refuse it.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Sightline needs Node.js 22.18 or newer, and this is ${process.versions.node}. Install a newer one; on Linux \`npm ci\` brings one, unless it leaves out optional dependencies or scripts. Then run \`npm ci\` again.`,
  );
  process.exit(1);
}
