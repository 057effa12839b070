// The packages of others in the archive: those that travel as they are, and those whose code is inside a bundle of ours. What a
// bundle holds is read from its source map, so it is what is there, and not what a manifest asked for.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure, readJson } from './workspace.mjs';

/** Licences, by their SPDX ids, whose code may travel in an archive under Apache-2.0. */
const fitting = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT'],
  ...['MIT-0', 'Python-2.0', 'Unlicense', 'Zlib'],
  // Of fonts.
  'OFL-1.1',
]);

/** Licences that package.json does not name, by the package: where else it does. */
const namedElsewhere = {
  // In its file LICENSE.
  'dequeue@1.0.5': 'BSD-2-Clause',
  // In its README and at the head of its sources.
  'precond@0.2.3': 'MIT',
};

const licenceText = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** `MIT` of `MIT`, of `{ type: 'MIT' }`, and of lists of these, which older packages have. */
function licenceOf({ license, licenses }) {
  const one = license ?? licenses?.[0];
  return typeof one === 'object' ? one.type : one;
}

/** Whether one of the licences of an expression fits, and with AND each of them. */
export function fits(expression) {
  if (typeof expression !== 'string') return false;
  const plain = expression.replaceAll(/[()]/g, '').trim();
  if (/ OR /i.test(plain)) return plain.split(/ OR /i).some(fits);
  return plain.split(/ AND /i).every((id) => fitting.has(id.trim()));
}

function describe(folder) {
  const manifest = readJson(join(folder, 'package.json'));
  const licence = licenceOf(manifest) ?? namedElsewhere[`${manifest.name}@${manifest.version}`];
  if (!fits(licence))
    throw new Failure(
      `${manifest.name} ${manifest.version} has the licence "${licence}", which is not known to fit Apache-2.0.`,
    );
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceText.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').trim());
  const author = typeof manifest.author === 'object' ? manifest.author.name : manifest.author;
  return { name: manifest.name, version: manifest.version, licence, author, text: texts.join('\n\n') };
}

/** Folders of the packages whose code is in the bundles of a folder, by their source maps. */
function bundledIn(dist) {
  const maps = readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.map'));
  const folders = maps.flatMap((file) => {
    const map = join(dist, file);
    return readJson(map)
      .sources.map((source) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1])
      .filter((folder) => folder !== undefined)
      .map((folder) => resolve(dirname(map), folder));
  });
  return new Set(folders);
}

/** What a build of the web page says of its bundle. */
const licencesOfPage = (file) =>
  readJson(file).map(({ name, version, identifier, text }) => {
    if (!fits(identifier))
      throw new Failure(
        `${name} ${version} in the web page has the licence "${identifier}", which is not known to fit Apache-2.0.`,
      );
    return { name, version, licence: identifier, text: (text ?? '').trim() };
  });

/**
 * The packages of others in an archive, sorted, each with the parts of the archive that it is in: `shipped` are folders of packages
 * that travel as they are, `bundles` the built folders by the name of the part, `page` the file in which the web page's build
 * names its own.
 */
export function thirdParty({ shipped, bundles, page }) {
  const found = new Map();
  const add = (part, one) => {
    const key = `${one.name}@${one.version}`;
    const known = found.get(key) ?? { ...one, parts: [] };
    found.set(key, { ...known, parts: [...known.parts, part] });
  };
  for (const folder of shipped) add('node_modules', describe(folder));
  for (const [part, dist] of bundles) for (const folder of bundledIn(dist)) add(part, describe(folder));
  for (const one of licencesOfPage(page)) add('web page', one);
  return [...found.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** The text that goes along: each package with its licence, and where the archive has it. */
export function noticesOf(packages) {
  const list = packages.map(({ name, version, licence, author, text, parts }) => {
    const by = author === undefined ? '' : ` by ${author}`;
    const terms = text === '' ? `The package names its licence, ${licence}, and brings no text of it.` : text;
    return [`${name} ${version}${by}`, `Licence: ${licence}. In: ${parts.join(', ')}.`, '', terms].join('\n');
  });
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  const head = `Tagway is under the Apache License 2.0, which is in LICENSE. This archive also holds ${packages.length} packages of others:`;
  return [head, ...list].join(line) + '\n';
}
