// Which part of the workspace may import which, and the lint rule that holds it.
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import circle, { onImports } from './circles.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The first line whose left side fits the importing part decides: what it may import, and what only as types. Parts of the host are files, such
 * as `host/core/tags/tags`, and a pattern that ends in a slash stands for a folder. What is in one folder may import what is in it, but
 * for the folders in `strict`, whose files have rights of their own.
 */
const directions = [
  [/^schemas$/, /^$/],
  [/^sdk$/, /^schemas$/],
  [/^plugins\/(fins|qna3e|lib\/modbus)$/, /^(schemas|sdk|plugins\/lib\/plc-words)$/],
  [/^sdk\/(pluginkit|serial|testkit)$/, /^(schemas|sdk)$/],
  [/^plugins\/modbus-server$/, /^(schemas|sdk|sdk\/serial|plugins\/lib\/(modbus|store))$/],
  [/^plugins\/modbus-/, /^(schemas|sdk|sdk\/serial|plugins\/lib\/modbus)$/],
  [/^plugins\/(calculation|alarms)$/, /^(schemas|sdk|plugins\/lib\/expression)$/],
  [/^plugins\/lib\/mqtt-client$/, /^(schemas|sdk|plugins\/lib\/store)$/],
  [/^plugins\/(mqtt|sparkplugb)$/, /^(schemas|sdk|plugins\/lib\/(mqtt-client|store))$/],
  [/^plugins\/(http|influxdb|kafka|notify|postgresql)$/, /^(schemas|sdk|plugins\/lib\/store)$/],
  [/^plugins\/iec104$/, /^(schemas|sdk|plugins\/lib\/iec104)$/],
  [/^plugins\/iec104-server$/, /^(schemas|sdk|plugins\/lib\/(iec104|store))$/],
  [/^plugins\/opcua$/, /^(schemas|sdk|plugins\/lib\/opcua-pki)$/],
  [/^plugins\/opcua-server$/, /^(schemas|sdk|plugins\/lib\/(opcua-pki|store))$/],
  [/^plugins\//, /^(schemas|sdk|sdk\/serial)$/],
  [/^host\/dashboard$/, /^schemas$/],
  [/^host\/demo$/, /^(schemas|sdk|host)/],
  [/^host\/main$/, /^host\/(core\/|cli\/(agent-command|command|newer-node|quiet-sqlite)$)/],
  [/^host\/cli\/agent-command$/, /^host\/(config\/config$|pair\/)/],
  [
    /^host\/cli\/command$/,
    /^(schemas|host\/(app(\/without-gateway)?|build-info|core\/system\/system-error)$|host\/(cli|config|data|doctor|pair|service)\/)/,
  ],
  [/^host\/cli\/api-client$/, /^(schemas|sdk|host\/data\/gateway-address)$/],
  [
    /^host\/cli\/with-gateway$/,
    /^host\/(app\/without-gateway$|cli\/api-client$|config\/config$|core\/|data\/gateway-address$)/,
  ],
  [
    /^host\/cli\/(plugin|directory)-command$/,
    /^(schemas|host\/(cli\/(api-client|directory-command|mirror-command|profile-package-command|table|with-gateway)$|config\/config$|core\/))/,
  ],
  [
    /^host\/cli\/profile-command$/,
    /^(schemas|host\/(cli\/(api-client|profile-draft|profile-package-command|table|with-gateway)$|config\/config$|core\/|profiles\/))/,
  ],
  [
    /^host\/cli\/profile-package-command$/,
    /^(schemas|sdk|host\/(cli\/(api-client|table|with-gateway)$|config\/config$|core\/))/,
  ],
  [/^host\/cli\/profile-draft$/, /^(schemas|host\/core\/)/],
  [/^host\/cli\/fleet-command$/, /^(schemas|host\/(cli\/(api-client|table|with-gateway)|config\/config)$)/],
  [/^host\/cli\/pair-command$/, /^(schemas|host\/(cli\/(api-client|with-gateway)|config\/config)$)/],
  [
    /^host\/cli\/import-command$/,
    /^(schemas|host\/(cli\/(api-client|with-gateway)$|config\/config$|core\/|http\/|import\/))/,
  ],
  [
    /^host\/cli\/folder-target$/,
    /^(schemas|sdk|host\/(cli\/(api-client|with-gateway)$|config\/config$|core\/|folder\/|http\/))/,
  ],
  [
    /^host\/cli\/folder-command$/,
    /^(schemas|sdk|host\/(cli\/(folder-target|with-gateway)$|config\/config$|folder\/))/,
  ],
  [/^host\/cli\/mirror-command$/, /^(schemas|sdk|host\/(cli\/with-gateway$|config\/config$|core\/))/],
  [/^host\/cli\/create-project$/, /^host\/kit\//],
  [/^host\/cli\/usage$/, /^schemas$/],
  [/^host\/cli\//, /^$/],
  [/^host\/config\/(git-place|networks|otlp-option|pair-config)$/, /^host\/config\/config-error$/],
  [
    /^host\/config\/gateway-config$/,
    /^schemas$/,
    /^host\/config\/(otlp-option|pair-config|source-option|tls-option)$/,
  ],
  [/^host\/config\/config-file$/, /^host\/(config\/(config-error|sub-commands)|core\/system\/system-error)$/],
  [
    /^host\/config\/config$/,
    /^(schemas|host\/config\/(config-error|config-file|gateway-config|networks|otlp-option|pair-config|profile-command|source-option|sub-commands|tls-option|variables)$)/,
  ],
  [/^host\/config\/profile-command$/, /^host\/config\/(config-error|sub-commands)$/],
  [/^host\/config\/tls-option$/, /^host\/config\/(config-error|sub-commands)$/],
  [/^host\/config\/sub-commands$/, /^host\/config\/(config-error|otlp-option|source-option)$/],
  [/^host\/config\/source-option$/, /^host\/config\/(config-error|git-place)$/],
  [/^host\/config\/exposures$/, /^host\/(config\/config$|core\/)/],
  [/^host\/config\/tls-files$/, /^host\/(config\/config(-error)?$|core\/)/],
  [/^host\/config\//, /^$/],
  [/^host\/data\/backup$/, /^host\/(data\/data-swap|library\/tar)$/],
  [/^host\/data\/data-swap$/, /^host\/store\//],
  [/^host\/data\/check-content$/, /^host\/(core\/|data\/data-swap$|machine\/|store\/)/],
  [/^host\/data\/restore$/, /^host\/(data\/(backup|check-content|data-folder|data-swap)$|library\/|store\/)/],
  [/^host\/data\/first-password$/, /^(schemas|sdk|host\/(core\/|data\/data-folder$))/],
  [/^host\/data\/data-folder$/, /^host\/(core\/|data\/(data-swap|gateway-address)$|store\/)/],
  [/^host\/data\//, /^$/],
  [/^host\/doctor\//, /^host\/(core\/|data\/gateway-address$)/],
  [/^host\/kit\//, /^(schemas|sdk|sdk\/pluginkit|host\/core\/)/],
  [/^host\/(app(\/|$)|outside$)/, /^(schemas|sdk(\/testkit)?$|host\/(?!demo$|dashboard$|main$).+)/],
  [/^host\/otlp\//, /^(schemas|sdk|host\/core\/)/, /^host\/config\//],
  [/^host\/source\//, /^(schemas|sdk|host\/(core\/|folder\/|http\/transfer\/))/, /^host\/config\//],
  [/^host\/cluster\/(cluster-etcd|member-driver)$/, /^host\/pair\/(etcd\/|ports$)/],
  [/^host\/cluster\//, /^$/],
  [/^host\/core\//, /^(schemas|sdk)$/],
  [/^host\/(runtime|library)\//, /^(schemas|sdk|host\/core\/)/, /^host\/log\//],
  [
    /^host\/profiles\//,
    /^(schemas|sdk|host\/(core\/|library\/(inflate|origin|package-signature|signature|tar)$))/,
  ],
  [/^host\//, /^(schemas|sdk|host\/core\/)/],
  [/^e2e$/, /^(schemas|sdk\/testkit)$/],
];

/** Folders of the host in which each file has a line of its own above. */
const strict = new Set(['cli', 'config', 'data']);

/**
 * `host/core/tags/tags` for host/src/core/tags/tags.ts, `host/app` for host/src/app.ts, `host/outside` for its tests and build files,
 * `plugins/mqtt`, `plugins/lib/modbus`, `sdk` and so on.
 */
function partOfFile(path) {
  const [first, second, third, ...rest] = relative(root, path).split(sep);
  if (first === 'plugins') return second === 'lib' ? `plugins/lib/${third}` : `plugins/${second}`;
  if (/^(pluginkit|serial|testkit)$/.test(second)) return `${first}/${second}`;
  if (first !== 'host') return first;
  if (second === 'demo' || second === 'dashboard') return `host/${second}`;
  return second === 'src' ? `host/${[third, ...rest].join('/').replace(/\.ts$/, '')}` : 'host/outside';
}

/** The folder of a part within which files may import each other. */
function roomOf(part) {
  const [first, second] = part.split('/');
  return first === 'host' && !strict.has(second) ? `host/${second}` : part;
}

const libraries = new Set([
  'expression',
  'iec104',
  'modbus',
  'mqtt-client',
  'opcua-pki',
  'plc-words',
  'store',
]);

function partOfPackage(name) {
  const [, short] = name.match(/^@tagway\/([^/]+)/) ?? [];
  if (short === undefined || ['schemas', 'sdk', 'host', 'e2e'].includes(short)) return short;
  if (short === 'demo' || short === 'dashboard') return `host/${short}`;
  if (libraries.has(short)) return `plugins/lib/${short}`;
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
  if (to === undefined || roomOf(to) === roomOf(from) || to === '.dev') return undefined;
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
  return onImports(visit);
}

export default { rules: { circle, direction: { meta: { type: 'problem', schema: [] }, create } } };
