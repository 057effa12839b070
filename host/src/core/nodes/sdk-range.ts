import { compatibleSince, sdkVersion } from '@tagway/sdk/internal';
import { intersects, validRange } from 'semver';
import { type Sentence, sentence } from '../system/sentence.ts';

/** Whether a plugin says a range of SDK versions at all. */
export function isRange(range: string): boolean {
  return validRange(range) !== null;
}

/** Why a plugin for this range of SDK versions does not run here; a range fits when it accepts any version from the oldest compatible one to that of this gateway. */
export function sdkProblem(range: string): Sentence | undefined {
  if (intersects(range, `${compatibleSince} - ${sdkVersion}`, { includePrerelease: true })) return undefined;
  return sentence`it was built for version ${range} of the SDK and this gateway has ${sdkVersion}; it needs a new release, because plugins for ${compatibleSince} to ${sdkVersion} run here`;
}
