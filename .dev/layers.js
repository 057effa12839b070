// Which part of the workspace may import which, and the lint rule that holds it.
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The first line whose left side fits the importing part decides: what it may import, and what only as types. */
const directions = [
  [/^schemas$/, /^$/],
  [/^sdk$/, /^schemas$/],
  [/^plugins\/(fins|modbus|qna3e)$/, /^(schemas|sdk|plugins\/words)$/],
  [/^sdk\/(pluginkit|serial|testkit)$/, /^(schemas|sdk)$/],
  [/^plugins\/modbus-/, /^(schemas|sdk|sdk\/serial|plugins\/modbus)$/],
  [/^plugins\/(mqtt|sparkplugb)$/, /^(schemas|sdk|plugins\/broker)$/],
  [/^plugins\//, /^(schemas|sdk|sdk\/serial)$/],
  [/^host\/dashboard$/, /^schemas$/],
  [/^host\/demo$/, /^(schemas|sdk|host)$/],
  [/^host\/main$/, /^host\/(agent-command|command|core|newer-node)$/],
  [/^host\/agent-command$/, /^host\/(config|pair)$/],
  [/^host\/pair-config$/, /^host\/config-error$/],
  [
    /^host\/command$/,
    /^(schemas|host\/(app|backup|build-info|config|create-project|doctor|import-command|pair|pair-command|plugin-command|restore|service|usage))$/,
  ],
  [/^host\/backup$/, /^host\/data-swap$/],
  [/^host\/data-swap$/, /^host\/store$/],
  [/^host\/restore$/, /^host\/(backup|data-folder|data-swap|library|store)$/],
  [/^host\/exposures$/, /^host\/(config|core)$/],
  [/^host\/first-password$/, /^(schemas|sdk|host\/(core|data-folder))$/],
  [/^host\/data-folder$/, /^host\/(core|gateway-address|store)$/],
  [/^host\/api-client$/, /^(schemas|sdk|host\/gateway-address)$/],
  [/^host\/with-gateway$/, /^host\/(api-client|app|config|core|gateway-address)$/],
  [/^host\/plugin-command$/, /^(schemas|host\/(api-client|config|core|with-gateway))$/],
  [/^host\/pair-command$/, /^(schemas|host\/(api-client|config|with-gateway))$/],
  [/^host\/import-command$/, /^(schemas|host\/(api-client|config|core|http|import|with-gateway))$/],
  [/^host\/create-project$/, /^host\/kit$/],
  [/^host\/config$/, /^(schemas|host\/(config-error|pair-config|sub-commands))$/],
  [/^host\/sub-commands$/, /^host\/config-error$/],
  [/^host\/doctor$/, /^host\/(core|gateway-address)$/],
  [/^host\/kit$/, /^(schemas|sdk|sdk\/pluginkit|host\/core)$/],
  [/^host\/(app|outside)$/, /^(schemas|sdk|host\/(?!demo$|dashboard$|main$).+)$/],
  [/^host\/core$/, /^(schemas|sdk)$/],
  [/^host\/(runtime|library)$/, /^(schemas|sdk|host\/core)$/, /^host\/log$/],
  [/^host\//, /^(schemas|sdk|host\/core)$/],
  [/^e2e$/, /^schemas$/],
];

/**
 * `host/core` for host/src/core/node.ts, `host/app` for host/src/app.ts, `host/outside` for its tests and build files,
 * `plugins/mqtt`, `sdk` and so on.
 */
function partOfFile(path) {
  const [first, second, third] = relative(root, path).split(sep);
  if (first === 'plugins' || /^(pluginkit|serial|testkit)$/.test(second)) return `${first}/${second}`;
  if (first !== 'host') return first;
  if (second === 'demo' || second === 'dashboard') return `host/${second}`;
  return second === 'src' ? `host/${third.replace(/\.ts$/, '')}` : 'host/outside';
}

function partOfPackage(name) {
  const [, short] = name.match(/^@tagway\/([^/]+)/) ?? [];
  if (short === undefined || ['schemas', 'sdk', 'host', 'e2e'].includes(short)) return short;
  if (short === 'demo' || short === 'dashboard') return `host/${short}`;
  return /^(pluginkit|serial|testkit)$/.test(short)
    ? `sdk/${short}`
    : `plugins/${short.replace(/^plugin-/, '')}`;
}

const packageOf = (part) => (/^host\/(?!demo$|dashboard$)/.test(part) ? 'host' : part);

function problemWith(file, source, isTypeOnly) {
  const from = partOfFile(file);
  const direction = directions.find(([importing]) => importing.test(from));
  if (direction === undefined) return undefined;
  const isRelative = source.startsWith('.');
  const to = isRelative ? partOfFile(join(dirname(file), source)) : partOfPackage(source);
  if (to === undefined || to === from || to === '.dev') return undefined;
  // A plugin, the plugin kit and the serial port are tested with the kits and run without them.
  if (
    /^sdk\/(pluginkit|testkit)$/.test(to) &&
    (from.startsWith('plugins/') || /^sdk\/(pluginkit|serial)$/.test(from)) &&
    file.includes(`${sep}test${sep}`)
  )
    return undefined;
  const [, values, types] = direction;
  if (!values.test(to) && !(isTypeOnly && types?.test(to))) return `${from} may not import ${to}.`;
  if (isRelative && packageOf(from) !== packageOf(to))
    return `Another package is imported by its name, not by a path.`;
  return undefined;
}

const isTypeOnly = (node) =>
  node.importKind === 'type' ||
  node.exportKind === 'type' ||
  (node.specifiers?.length > 0 && node.specifiers.every(({ importKind }) => importKind === 'type'));

function create(context) {
  const visit = (node) => {
    if (typeof node.source?.value !== 'string') return;
    const message = problemWith(context.filename, node.source.value, isTypeOnly(node));
    if (message !== undefined) context.report({ node: node.source, message });
  };
  return {
    ImportDeclaration: visit,
    ImportExpression: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
  };
}

export default { rules: { direction: { meta: { type: 'problem', schema: [] }, create } } };
