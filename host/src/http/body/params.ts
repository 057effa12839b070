import { ErrorCode } from '@tagway/schemas';
import { isDeeper } from '../../core/system/shapes.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** Levels of objects and lists within `params`. What nests deeper could overflow the stack. */
const depth = 32;

/** Throws NODE_SETTING_INVALID for null, and BODY_INVALID for `params` that nest too deeply to be stored. */
export function checkParams<Params extends object>(
  params: Params | null | undefined,
): asserts params is Params | undefined {
  if (params === null)
    throw new Refusal(
      ErrorCode.NODE_SETTING_INVALID,
      sentence`The field params is null. It must be an object.`,
    );
  if (params !== undefined && isDeeper(params, depth)) {
    throw new Refusal(ErrorCode.BODY_INVALID, sentence`The field params nests deeper than ${depth} levels.`);
  }
}
