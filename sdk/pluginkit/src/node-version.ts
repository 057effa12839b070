/** The oldest Node that has all that the kit uses: the `engines` of package.json. */
const least = [22, 19] as const;

/** Why the kit cannot work with a version of Node, in a sentence or two; undefined when it can. */
export function problemOfNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > least[0] || (major === least[0] && minor >= least[1])) return undefined;
  return (
    `The kit for plugins needs Node.js ${least.join('.')} or newer, and this is ${version}. ` +
    'A project brings its own: after "npm install", use "npm test", "npm run …" or "npx pluginkit …" in its folder.'
  );
}
