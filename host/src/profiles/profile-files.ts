import { type Profile, profileKeyword, profileLimits } from '@tagway/schemas';
import type { ProfileFiles } from '../core/ports/profiles.ts';
import { invalid, readProfile } from '../core/profiles/profile-rules.ts';
import { isObject, isText } from '../core/system/shapes.ts';
import { type Sentence, sentence } from '../core/system/sentence.ts';
import { pictureUrl } from './picture.ts';

/** Members of a package.json with which npm would run or fetch something, or load code. */
const forbidden = [
  ...['scripts', 'dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'],
  ...['bundleDependencies', 'bundledDependencies', 'bin', 'main', 'module', 'browser', 'exports', 'imports'],
  ...['gypfile', 'man', 'directories', 'workspaces', 'overrides'],
];

/** What files of a profile hold, and its package.json if it is a package. Throws PROFILE_INVALID. */
export function profileOf(files: ReadonlyMap<string, Buffer>): {
  readonly files: ProfileFiles;
  readonly packageJson: Readonly<Record<string, unknown>> | undefined;
} {
  const text = files.get('profile.json');
  if (text === undefined) throw invalid(sentence`It has no profile.json.`);
  const profile = readProfile(text.toString());
  const packageFile = files.get('package.json');
  const packageJson = packageFile && packageOf(packageFile, profile);
  const picture = profile.picture === undefined ? undefined : files.get(profile.picture);
  if (profile.picture !== undefined && picture === undefined)
    throw invalid(sentence`Its picture ${profile.picture} is missing.`);
  const stray = [...files.keys()].find(
    (name) => /\.(?:png|webp|jpg)$/.test(name) && name !== profile.picture,
  );
  if (stray !== undefined)
    throw invalid(sentence`It has a picture ${stray} that its profile.json does not name.`);
  const readme = textOf(files, 'README.md');
  const license = textOf(files, 'LICENSE') ?? textOf(files, 'LICENSE.md') ?? textOf(files, 'LICENSE.txt');
  return {
    files: {
      profile,
      ...(readme !== undefined && { readme }),
      ...(license !== undefined && { license }),
      ...(picture && profile.picture !== undefined && { picture: pictureUrl(profile.picture, picture) }),
    },
    packageJson,
  };
}

function packageOf(file: Buffer, { version }: Profile): Readonly<Record<string, unknown>> {
  const refused = (problem: Sentence): never => {
    throw invalid(sentence`Its package.json ${problem}`);
  };
  let content: unknown;
  try {
    content = JSON.parse(file.toString());
  } catch {
    return refused(sentence`is not JSON.`);
  }
  if (!isObject(content)) return refused(sentence`is not an object.`);
  const member = forbidden.find((name) => Object.hasOwn(content, name));
  if (member !== undefined)
    return refused(
      sentence`has a member "${member}", and a profile is data alone: it runs nothing and needs nothing.`,
    );
  if (!isText(content['name'])) return refused(sentence`has no name.`);
  if (content['version'] !== version)
    return refused(sentence`has another version than its profile.json, which has ${version}.`);
  const { keywords } = content;
  if (!Array.isArray(keywords) || !keywords.includes(profileKeyword))
    return refused(sentence`does not have the keyword "${profileKeyword}", by which profiles are found.`);
  return content;
}

function textOf(files: ReadonlyMap<string, Buffer>, name: string): string | undefined {
  const file = files.get(name);
  if (file !== undefined && file.length > profileLimits.text)
    throw invalid(sentence`Its ${name} has more than ${profileLimits.text / 1000} kB.`);
  return file?.toString();
}
